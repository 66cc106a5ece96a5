/**
 * The C library: the only place of the provider that calls native functions. May import java.base only (java.lang.foreign in
 * the {@code Ffm} classes).
 */
@NullMarked
package io.metaroce.provider.sys;

import org.jspecify.annotations.NullMarked;
