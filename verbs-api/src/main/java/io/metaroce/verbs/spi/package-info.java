/** How an implementation of the verbs makes itself known. Programs do not need it. May import java.base and {@code io.metaroce.verbs} only. */
@NullMarked
package io.metaroce.verbs.spi;

import org.jspecify.annotations.NullMarked;
