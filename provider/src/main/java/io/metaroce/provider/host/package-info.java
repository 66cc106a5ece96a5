/**
 * What the host knows: netdevs, addresses, routes and neighbours (netlink), and the claim of a UDP port. May import {@code io.metaroce.wire},
 * {@code io.metaroce.provider.port} and {@code io.metaroce.provider.sys}.
 */
@NullMarked
package io.metaroce.provider.host;

import org.jspecify.annotations.NullMarked;
