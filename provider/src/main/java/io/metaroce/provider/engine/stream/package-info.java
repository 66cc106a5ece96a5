/**
 * The stream layer: order, completion, receives, errors and binds of one queue pair; knows no path (protocol sections 4, 5, 12, 14). May import
 * {@code io.metaroce.wire}, {@code io.metaroce.provider.port}, {@code io.metaroce.provider.slots} and {@code io.metaroce.provider.engine}.
 */
@NullMarked
package io.metaroce.provider.engine.stream;

import org.jspecify.annotations.NullMarked;
