package io.metaroce.provider.device;

/** {@code enum ibv_access_flags}. */
public final class Access {
    public static final int LOCAL_WRITE = 1;
    public static final int REMOTE_WRITE = 1 << 1;
    public static final int REMOTE_READ = 1 << 2;
    public static final int REMOTE_ATOMIC = 1 << 3;
    public static final int MW_BIND = 1 << 4;
    public static final int ZERO_BASED = 1 << 5;
    public static final int ON_DEMAND = 1 << 6;
    public static final int HUGETLB = 1 << 7;
    public static final int FLUSH_GLOBAL = 1 << 8;
    public static final int FLUSH_PERSISTENT = 1 << 9;
    /** {@code IBV_ACCESS_OPTIONAL_RANGE}: hints that a device may ignore; relaxed ordering is one. */
    public static final int OPTIONAL = 0x3ff0_0000;

    /** What a region can grant. */
    static final int SUPPORTED = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | MW_BIND;

    private static final int KNOWN =
            SUPPORTED | ZERO_BASED | ON_DEMAND | HUGETLB | FLUSH_GLOBAL | FLUSH_PERSISTENT | OPTIONAL;

    private Access() {}

    /** The rule of ibv_reg_mr: 0 or an errno. Remote writing and atomics need local writing (man ibv_reg_mr). */
    static int check(int access) {
        if ((access & ~KNOWN) != 0) {
            return Errno.EINVAL;
        }
        if ((access & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0 && (access & LOCAL_WRITE) == 0) {
            return Errno.EINVAL;
        }
        return (access & ~(SUPPORTED | OPTIONAL)) != 0 ? Errno.EOPNOTSUPP : 0;
    }
}
