/**
 * The RDMA Verbs for Java programs: devices, protection domains, memory regions, completion queues and channels, queue pairs. Names and numbers are those of
 * libibverbs ({@code verbs.h}) and of the InfiniBand architecture specification (IBTA volume 1, chapters 9 to 11), so that its man pages explain this package too.
 *
 * <p>Start at {@link io.metaroce.verbs.RdmaDevices}. Every object is {@link java.lang.AutoCloseable}; one that others are made of refuses to close with EBUSY.
 * Errors are {@link io.metaroce.verbs.VerbsException}s with the errno that the man page of the verb names. Posting and polling allocate nothing.
 *
 * <p>May import java.base only. The implementation is found by {@link java.util.ServiceLoader} ({@code io.metaroce.verbs.spi}).
 */
@NullMarked
package io.metaroce.verbs;

import org.jspecify.annotations.NullMarked;
