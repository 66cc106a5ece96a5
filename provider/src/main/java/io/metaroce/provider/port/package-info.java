/**
 * What the engine needs from the world, as interfaces and batches: frames, memory, completions, events, routes, counters. May import nothing but
 * java.base and {@code io.metaroce.wire}.
 */
@NullMarked
package io.metaroce.provider.port;

import org.jspecify.annotations.NullMarked;
