/**
 * How frames leave and enter the process: what every link offers, and the one over this host's netdevs. May import {@code io.metaroce.wire},
 * {@code io.metaroce.provider.port}, {@code io.metaroce.provider.sys} and {@code io.metaroce.provider.host}; never the engine or the device.
 */
@NullMarked
package io.metaroce.provider.link;

import org.jspecify.annotations.NullMarked;
