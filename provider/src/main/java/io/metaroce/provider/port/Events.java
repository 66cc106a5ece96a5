package io.metaroce.provider.port;

/** What the engine tells the device beyond completions. */
public interface Events {
    /** {@code enum ibv_event_type} of a QP: QP_FATAL 1, QP_REQ_ERR 2, QP_ACCESS_ERR 3, COMM_EST 4, SQ_DRAINED 5. */
    void qpEvent(int qp, int eventType);

    /** One line for the log, at most a few per connection's life (never per packet). */
    void log(String line);

    /** One line of the normal course of things, for a user who has asked for a log. */
    default void note(String line) {}
}
