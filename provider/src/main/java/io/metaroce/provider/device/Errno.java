package io.metaroce.provider.device;

/** Error numbers of Linux that verbs answer. */
public final class Errno {
    public static final int EIO = 5;
    public static final int ENOMEM = 12;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EINVAL = 22;
    public static final int ENOSPC = 28;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int ENETUNREACH = 101;

    private Errno() {}
}
