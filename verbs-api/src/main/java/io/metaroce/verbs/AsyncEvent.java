package io.metaroce.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event.
 *
 * @param type what happened
 * @param queuePair the queue pair it happened to, or null
 * @param completionQueue the completion queue it happened to, or null
 * @param port the port, for an event of the port
 */
public record AsyncEvent(
        AsyncEventType type,
        @Nullable QueuePair queuePair,
        @Nullable CompletionQueue completionQueue,
        int port) {}
