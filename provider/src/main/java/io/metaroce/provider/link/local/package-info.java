/**
 * Frames that do not leave the process. May import {@code io.metaroce.wire} and {@code io.metaroce.provider.port}.
 */
@NullMarked
package io.metaroce.provider.link.local;

import org.jspecify.annotations.NullMarked;
