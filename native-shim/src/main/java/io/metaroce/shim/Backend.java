package io.metaroce.shim;

/** What stands behind the two upcalls. Both are called by threads of the program; neither is called twice at once by one thread. */
interface Backend {
    /** One duty cycle; the caller holds the turn. Frames and completions moved, 0 when there was nothing to do. */
    int drive();

    /**
     * A command of {@code mroce_abi.h}; takes the turn itself.
     *
     * @return 0 or an errno
     */
    int command(int op, long record);
}
