/**
 * The sans-IO protocol engine: the facade ({@code Engine}) and the seams between its rooms. May import {@code io.metaroce.wire},
 * {@code io.metaroce.provider.port}, {@code io.metaroce.provider.slots} and Agrona's primitive maps; never a socket, a clock, a thread or a random source.
 */
@NullMarked
package io.metaroce.provider.engine;

import org.jspecify.annotations.NullMarked;
