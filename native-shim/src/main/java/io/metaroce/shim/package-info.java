/**
 * The Java half of libmroce.so: entered once by JNI, and from then on by two upcalls. May import {@code provider}.
 */
@NullMarked
package io.metaroce.shim;

import org.jspecify.annotations.NullMarked;
