package io.metaroce.verbs;

/** {@code enum ibv_send_flags}. To be combined by {@code |}. Inline data needs no flag: {@link SendQueue#inline} sets it. */
public final class SendFlags {
    /** The work request waits until all earlier READs and atomics of its queue are complete. */
    public static final int FENCE = 1;

    /** A completion is wanted also when all goes well. */
    public static final int SIGNALED = 1 << 1;

    /** The peer's completion counts as solicited (see {@link CompletionQueue#requestNotification}). */
    public static final int SOLICITED = 1 << 2;

    private SendFlags() {}
}
