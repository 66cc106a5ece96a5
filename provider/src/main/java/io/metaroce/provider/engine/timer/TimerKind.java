package io.metaroce.provider.engine.timer;

/** Every timer of the connection layer. The stream layer keeps its own and tells the next one. */
public enum TimerKind {
    /** The next INIT or OPEN; the end of an idle connection; the end of a quarantine. One per connection. */
    CONNECTION,
    /** A stream block that may wait for company. One per connection. */
    ACK,
    /** The next burst of a connection that is paced. One per connection. */
    PACE,
    /** Tail marker and probe time-out. One per path. */
    PATH
}
