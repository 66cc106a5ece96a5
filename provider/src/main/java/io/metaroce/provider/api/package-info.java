/**
 * The verbs for Java programs: implements {@code io.metaroce.verbs} by the same rings and commands as the C library. May import {@code slots}, {@code port},
 * {@code sys}, {@code run}, {@code io.metaroce.wire} and {@code io.metaroce.verbs}.
 */
@NullMarked
package io.metaroce.provider.api;

import org.jspecify.annotations.NullMarked;
