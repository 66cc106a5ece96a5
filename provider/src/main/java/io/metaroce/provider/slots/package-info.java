/**
 * Flyweights over the memory that C and Java share: rings, slots, the control block, command and boot records. Static offsets and accessors over addresses, no
 * object; the numbers are those of {@code mroce_abi.h}, which is the only truth, and {@link io.metaroce.provider.slots.Abi} compares them with the library's at
 * start. May import {@code io.metaroce.wire} and java.base only.
 */
@NullMarked
package io.metaroce.provider.slots;

import org.jspecify.annotations.NullMarked;
