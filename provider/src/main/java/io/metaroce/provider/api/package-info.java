/**
 * The verbs for Java programs: implements {@code io.metaroce.verbs} by the same rings and commands as the C library. Sees everything of the provider that is needed to open a device: {@code run}, {@code config}, {@code host}, {@code slots}, {@code port},
 * {@code sys}, {@code io.metaroce.wire} and {@code io.metaroce.verbs}.
 */
@NullMarked
package io.metaroce.provider.api;

import org.jspecify.annotations.NullMarked;
