package io.metaroce.provider.port;

/** Adds one permit to an event descriptor (an eventfd in semaphore mode under the shim, a counter of the JVM otherwise). Never blocks. */
@FunctionalInterface
public interface EventSignal {
    void signal(int fd);
}
