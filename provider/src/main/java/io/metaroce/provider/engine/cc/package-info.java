/**
 * Windows and choice of path. Knows no QP and no connection, only paths. May import {@code io.metaroce.provider.engine.path},
 * {@code io.metaroce.provider.engine.SplitMix} and java.base.
 */
@NullMarked
package io.metaroce.provider.engine.cc;

import org.jspecify.annotations.NullMarked;
