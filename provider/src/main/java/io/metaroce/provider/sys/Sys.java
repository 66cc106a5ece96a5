package io.metaroce.provider.sys;

/**
 * The functions of the C library that this product uses, as in their man pages, with one difference: what C reports as -1 and errno comes back as the
 * negative errno (names: {@link Errno}). Addresses are plain longs; who calls owns the memory. No call allocates.
 *
 * <p>Calls of the data path that cannot block ({@link #send} with MSG_DONTWAIT, {@link #write} to an eventfd, {@link #futexWake}) are made without a change of
 * the thread's state: a collection waits for them, so they must be short.
 */
public interface Sys {
    /** The implementation for this JDK, chosen once. */
    static Sys get() {
        return Chosen.SYS;
    }

    /** {@code socket(2)}: a file descriptor or the negative errno. */
    int socket(int domain, int type, int protocol);

    int close(int fd);

    int bind(int fd, long address, int length);

    int setsockopt(int fd, int level, int name, long value, int length);

    /** {@code getsockopt(2)}; {@code lengthAddress} holds a 32-bit length, in and out. */
    int getsockopt(int fd, int level, int name, long value, long lengthAddress);

    int getsockname(int fd, long address, long lengthAddress);

    /** {@code mmap(2)}: an address, or the negative errno (-4095 to -1). */
    long mmap(long address, long length, int protection, int flags, int fd, long offset);

    int munmap(long address, long length);

    int madvise(long address, long length, int advice);

    /** {@code send(2)} that must not block: {@code flags} has MSG_DONTWAIT. Bytes sent, or the negative errno. */
    int send(int fd, long buffer, long length, int flags);

    /** {@code sendto(2)}; may block unless MSG_DONTWAIT is given. */
    int sendto(int fd, long buffer, long length, int flags, long address, int addressLength);

    /** {@code recv(2)}; may block unless MSG_DONTWAIT is given. */
    int recv(int fd, long buffer, long length, int flags);

    /** {@code sendmmsg(2)} that must not block: {@code flags} has MSG_DONTWAIT. Messages sent, or the negative errno. */
    int sendmmsg(int fd, long vector, int count, int flags);

    /** {@code recvmmsg(2)} without a time-out and without blocking: {@code flags} has MSG_DONTWAIT. Messages received, or the negative errno. */
    int recvmmsg(int fd, long vector, int count, int flags);

    /** {@code ppoll(2)} without a signal mask; {@code timespec} 0 waits for ever. */
    int ppoll(long pollfds, int count, long timespec);

    int eventfd(int initial, int flags);

    /** {@code read(2)}; may block. */
    long read(int fd, long buffer, long length);

    /** {@code write(2)} that must not block (a non-blocking descriptor or an eventfd far from its limit). */
    long write(int fd, long buffer, long length);

    /** {@code futex(2)} FUTEX_WAIT_PRIVATE: sleeps while the 32 bits at {@code address} are {@code expected}; {@code timespec} (relative) 0 waits for ever. */
    int futexWait(long address, int expected, long timespec);

    /** {@code futex(2)} FUTEX_WAKE_PRIVATE: the number of threads woken. */
    int futexWake(long address, int count);

    /** {@code sched_yield(2)}; may be away for a scheduler slice, so a collection does not wait for it. */
    int schedYield();

    /** {@code sched_setscheduler(2)} of the calling thread; {@code parameter} points to a struct sched_param. */
    int schedSetScheduler(int policy, long parameter);

    /** {@code sched_setaffinity(2)} of the calling thread. */
    int schedSetAffinity(long length, long mask);

    /** {@code sched_getaffinity(2)} of the calling thread. */
    int schedGetAffinity(long length, long mask);

    /** {@code ioctl(2)} with one address as argument. */
    int ioctl(int fd, long request, long argument);

    /** {@code open(2)} of a path given as a zero-terminated string. */
    int open(long path, int flags);

    /** {@code setns(2)}: moves the calling thread into a namespace. */
    int setns(int fd, int type);

    /** {@code clock_gettime(2)}; {@code timespec} receives seconds and nanoseconds. */
    int clockGettime(int clock, long timespec);

    /** {@code getpid(2)}. */
    int getpid();
}
