package io.metaroce.provider.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The C library through java.lang.foreign.
 *
 * <p>Every function is called as {@code long f(long, long, long, long, long, long)}: under the calling conventions of Linux on x86-64 and AArch64 up to six
 * integer arguments stand in registers, a narrower parameter reads the low half of its register, and an argument too many is not looked at. So two method
 * handles serve all functions, which keeps the start of the VM short (each further shape costs more than a millisecond).
 */
final class FfmSys implements Sys {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor SIX =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            STATE.byteOffset(java.lang.foreign.MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle CALL = LINKER.downcallHandle(SIX, Linker.Option.captureCallState("errno"));
    private static final MethodHandle SHORT_CALL =
            LINKER.downcallHandle(SIX, Linker.Option.captureCallState("errno"), Linker.Option.critical(false));

    private static final ThreadLocal<MemorySegment> CAPTURED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

    private static final MemorySegment SOCKET = symbol("socket");
    private static final MemorySegment CLOSE = symbol("close");
    private static final MemorySegment BIND = symbol("bind");
    private static final MemorySegment SETSOCKOPT = symbol("setsockopt");
    private static final MemorySegment GETSOCKOPT = symbol("getsockopt");
    private static final MemorySegment GETSOCKNAME = symbol("getsockname");
    private static final MemorySegment MMAP = symbol("mmap");
    private static final MemorySegment MUNMAP = symbol("munmap");
    private static final MemorySegment MADVISE = symbol("madvise");
    private static final MemorySegment SEND = symbol("send");
    private static final MemorySegment SENDTO = symbol("sendto");
    private static final MemorySegment RECV = symbol("recv");
    private static final MemorySegment SENDMMSG = symbol("sendmmsg");
    private static final MemorySegment RECVMMSG = symbol("recvmmsg");
    private static final MemorySegment PPOLL = symbol("ppoll");
    private static final MemorySegment EVENTFD = symbol("eventfd");
    private static final MemorySegment READ = symbol("read");
    private static final MemorySegment WRITE = symbol("write");
    private static final MemorySegment SYSCALL = symbol("syscall");
    private static final MemorySegment SCHED_YIELD = symbol("sched_yield");
    private static final MemorySegment SCHED_SETSCHEDULER = symbol("sched_setscheduler");
    private static final MemorySegment SCHED_SETAFFINITY = symbol("sched_setaffinity");
    private static final MemorySegment SCHED_GETAFFINITY = symbol("sched_getaffinity");
    private static final MemorySegment IOCTL = symbol("ioctl");
    private static final MemorySegment OPEN = symbol("open");
    private static final MemorySegment SETNS = symbol("setns");
    private static final MemorySegment CLOCK_GETTIME = symbol("clock_gettime");
    private static final MemorySegment GETPID = symbol("getpid");

    /** The number of the system call differs; it has no function of its own in the C library. */
    private static final long SYS_FUTEX = "amd64".equals(System.getProperty("os.arch")) ? 202 : 98;

    private static final long FUTEX_WAIT_PRIVATE = 128;
    private static final long FUTEX_WAKE_PRIVATE = 129;

    private static MemorySegment symbol(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new IllegalStateException("the C library has no function " + name));
    }

    private static long call(MemorySegment f, long a, long b, long c, long d, long e, long g) {
        MemorySegment state = CAPTURED.get();
        try {
            long result = (long) CALL.invokeExact(f, state, a, b, c, d, e, g);
            return result == -1 ? -state.get(JAVA_INT, ERRNO) : result;
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    /** For functions whose result is an int: the upper half of the register is not defined. */
    private static int callInt(MemorySegment f, long a, long b, long c, long d, long e, long g) {
        MemorySegment state = CAPTURED.get();
        try {
            int result = (int) (long) CALL.invokeExact(f, state, a, b, c, d, e, g);
            return result == -1 ? -state.get(JAVA_INT, ERRNO) : result;
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    private static int shortCallInt(MemorySegment f, long a, long b, long c, long d, long e, long g) {
        MemorySegment state = CAPTURED.get();
        try {
            int result = (int) (long) SHORT_CALL.invokeExact(f, state, a, b, c, d, e, g);
            return result == -1 ? -state.get(JAVA_INT, ERRNO) : result;
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    /** The handles throw nothing but errors of the virtual machine; those go on unchanged. */
    private static RuntimeException failed(Throwable t) {
        if (t instanceof Error error) {
            throw error;
        }
        return t instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(t);
    }

    @Override
    public int socket(int domain, int type, int protocol) {
        return callInt(SOCKET, domain, type, protocol, 0, 0, 0);
    }

    @Override
    public int close(int fd) {
        return callInt(CLOSE, fd, 0, 0, 0, 0, 0);
    }

    @Override
    public int bind(int fd, long address, int length) {
        return callInt(BIND, fd, address, length, 0, 0, 0);
    }

    @Override
    public int setsockopt(int fd, int level, int name, long value, int length) {
        return callInt(SETSOCKOPT, fd, level, name, value, length, 0);
    }

    @Override
    public int getsockopt(int fd, int level, int name, long value, long lengthAddress) {
        return callInt(GETSOCKOPT, fd, level, name, value, lengthAddress, 0);
    }

    @Override
    public int getsockname(int fd, long address, long lengthAddress) {
        return callInt(GETSOCKNAME, fd, address, lengthAddress, 0, 0, 0);
    }

    @Override
    public long mmap(long address, long length, int protection, int flags, int fd, long offset) {
        return call(MMAP, address, length, protection, flags, fd, offset);
    }

    @Override
    public int munmap(long address, long length) {
        return callInt(MUNMAP, address, length, 0, 0, 0, 0);
    }

    @Override
    public int madvise(long address, long length, int advice) {
        return callInt(MADVISE, address, length, advice, 0, 0, 0);
    }

    @Override
    public int send(int fd, long buffer, long length, int flags) {
        return shortCallInt(SEND, fd, buffer, length, flags, 0, 0);
    }

    @Override
    public int sendto(int fd, long buffer, long length, int flags, long address, int addressLength) {
        return callInt(SENDTO, fd, buffer, length, flags, address, addressLength);
    }

    @Override
    public int recv(int fd, long buffer, long length, int flags) {
        return callInt(RECV, fd, buffer, length, flags, 0, 0);
    }

    @Override
    public int sendmmsg(int fd, long vector, int count, int flags) {
        return shortCallInt(SENDMMSG, fd, vector, count, flags, 0, 0);
    }

    @Override
    public int recvmmsg(int fd, long vector, int count, int flags) {
        return shortCallInt(RECVMMSG, fd, vector, count, flags, 0, 0);
    }

    @Override
    public int ppoll(long pollfds, int count, long timespec) {
        return callInt(PPOLL, pollfds, count, timespec, 0, 0, 0);
    }

    @Override
    public int eventfd(int initial, int flags) {
        return callInt(EVENTFD, initial, flags, 0, 0, 0, 0);
    }

    @Override
    public long read(int fd, long buffer, long length) {
        return call(READ, fd, buffer, length, 0, 0, 0);
    }

    @Override
    public long write(int fd, long buffer, long length) {
        return shortCallInt(WRITE, fd, buffer, length, 0, 0, 0);
    }

    @Override
    public int futexWait(long address, int expected, long timespec) {
        return callInt(SYSCALL, SYS_FUTEX, address, FUTEX_WAIT_PRIVATE, expected, timespec, 0);
    }

    @Override
    public int futexWake(long address, int count) {
        return shortCallInt(SYSCALL, SYS_FUTEX, address, FUTEX_WAKE_PRIVATE, count, 0, 0);
    }

    @Override
    public int schedYield() {
        return callInt(SCHED_YIELD, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public int schedSetScheduler(int policy, long parameter) {
        return callInt(SCHED_SETSCHEDULER, 0, policy, parameter, 0, 0, 0);
    }

    @Override
    public int schedSetAffinity(long length, long mask) {
        return callInt(SCHED_SETAFFINITY, 0, length, mask, 0, 0, 0);
    }

    @Override
    public int schedGetAffinity(long length, long mask) {
        return callInt(SCHED_GETAFFINITY, 0, length, mask, 0, 0, 0);
    }

    @Override
    public int ioctl(int fd, long request, long argument) {
        return callInt(IOCTL, fd, request, argument, 0, 0, 0);
    }

    @Override
    public int open(long path, int flags) {
        return callInt(OPEN, path, flags, 0, 0, 0, 0);
    }

    @Override
    public int setns(int fd, int type) {
        return callInt(SETNS, fd, type, 0, 0, 0, 0);
    }

    @Override
    public int clockGettime(int clock, long timespec) {
        return callInt(CLOCK_GETTIME, clock, timespec, 0, 0, 0, 0);
    }

    @Override
    public int getpid() {
        return callInt(GETPID, 0, 0, 0, 0, 0, 0);
    }
}
