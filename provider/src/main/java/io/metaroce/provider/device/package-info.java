/**
 * The control plane: protection domains, memory regions, completion queues, channels, queue pairs and asynchronous events; every rule of the verbs that create,
 * change and destroy them, each answered by an errno. All calls are made by the holder of the turn. May import {@code port}, {@code slots}, the seams in
 * {@code engine} and {@code io.metaroce.wire}; never {@code link}.
 */
@NullMarked
package io.metaroce.provider.device;

import org.jspecify.annotations.NullMarked;
