/**
 * AF_PACKET sockets with memory-mapped rings (packet(7), TPACKET_V2) and the headers around a UDP payload. May import {@code io.metaroce.wire},
 * {@code io.metaroce.provider.port}, {@code io.metaroce.provider.sys} and {@code io.metaroce.provider.host}.
 */
@NullMarked
package io.metaroce.provider.link.packet;

import org.jspecify.annotations.NullMarked;
