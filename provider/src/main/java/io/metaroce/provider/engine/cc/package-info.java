/**
 * Windows and choice of path. Knows no QP and no connection, only paths. May import {@code io.metaroce.provider.engine.path},
 * {@code io.metaroce.provider.engine.SplitMix}, {@code io.metaroce.wire.RateHint} and java.base.
 */
@NullMarked
package io.metaroce.provider.engine.cc;

import org.jspecify.annotations.NullMarked;
