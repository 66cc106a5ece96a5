/**
 * A network in memory with virtual time: hosts, planes, switches, queues and every fault a fabric can have, all from one seed. Product code: applications may be tested
 * against it. May import java.base, {@code io.metaroce.wire} and {@code io.metaroce.provider.port}.
 */
@NullMarked
package io.metaroce.provider.link.sim;

import org.jspecify.annotations.NullMarked;
