package io.metaroce.provider.sys;

/** A call of the C library failed where the caller cannot go on. The message says what was tried, the errno, and what to do. */
public final class SysException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int errno;

    /**
     * @param what the attempt, as the start of a sentence: "AF_PACKET socket on veth0"
     * @param errno positive or negative
     * @param advice what the user can do about it; may be empty
     */
    public SysException(String what, int errno, String advice) {
        super(what + ": " + Errno.name(errno) + (advice.isEmpty() ? "" : " (" + advice + ")"));
        this.errno = Math.abs(errno);
    }

    /** Returns {@code result} unless it is a negative errno. */
    public static int check(int result, String what, String advice) {
        if (result < 0) {
            throw new SysException(what, result, advice);
        }
        return result;
    }

    public static int check(int result, String what) {
        return check(result, what, "");
    }

    /** The positive errno. */
    public int errno() {
        return errno;
    }
}
