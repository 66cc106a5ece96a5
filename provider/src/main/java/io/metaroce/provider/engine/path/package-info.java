/**
 * Reliability of one path: PSN, transmit order, SACK window, loss, RTT, tail probes (protocol sections 3, 5, 6, 11). Knows no QP and no connection. May import
 * {@code io.metaroce.wire}, {@code io.metaroce.provider.engine.Record} and java.base.
 */
@NullMarked
package io.metaroce.provider.engine.path;

import org.jspecify.annotations.NullMarked;
