package io.metaroce.verbs;

/** {@code enum ibv_access_flags}: what may be done with a memory region, or with the memory behind a queue pair. To be combined by {@code |}. */
public final class AccessFlags {
    /** The device may write to it: receives, results of READs and atomics. Sending needs no flag. */
    public static final int LOCAL_WRITE = 1;

    /** The peer may RDMA WRITE; needs {@link #LOCAL_WRITE}. */
    public static final int REMOTE_WRITE = 1 << 1;

    /** The peer may RDMA READ. */
    public static final int REMOTE_READ = 1 << 2;

    /** The peer may use atomics; needs {@link #LOCAL_WRITE}. */
    public static final int REMOTE_ATOMIC = 1 << 3;

    /** Everything above. */
    public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

    private AccessFlags() {}
}
