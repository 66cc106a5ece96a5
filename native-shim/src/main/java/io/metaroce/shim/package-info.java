/**
 * The Java half of libmroce.so. May import {@code provider}.
 */
package io.metaroce.shim;
