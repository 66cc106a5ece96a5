/**
 * The bytes on the wire and nothing else: native memory access, Ethernet, IP and UDP, one class of static accessors per
 * MetaRoCE header, and the one decoder that judges what arrives. {@code PROTOCOL.md} of this module is the
 * specification.
 *
 * <p>May import {@code java.base} only (and the JSpecify annotations). Only {@link io.metaroce.wire.Mem} and its
 * implementations touch {@code java.lang.foreign} or {@code sun.misc}.
 */
@org.jspecify.annotations.NullMarked
package io.metaroce.wire;
