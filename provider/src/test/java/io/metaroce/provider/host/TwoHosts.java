package io.metaroce.provider.host;

import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two network namespaces joined by veth pairs. Plane k of the left one has 10.79.k.1 and fd79:k::1 on left-k, the right one 10.79.k.2 and fd79:k::2 on right-k. Needs root and
 * iproute2; what is missing fails the test.
 */
public final class TwoHosts implements AutoCloseable {
    private static int made;

    private final String left;
    private final String right;

    public TwoHosts(int planes, int mtu) {
        String name = "link-" + ProcessHandle.current().pid() + "-" + ++made;
        left = name + "-l";
        right = name + "-r";
        ip("netns add " + left);
        ip("netns add " + right);
        for (String ns : new String[] {left, right}) {
            ip("-n " + ns + " link set lo up");
        }
        for (int k = 0; k < planes; k++) {
            ip("-n " + left + " link add left-" + k + " mtu " + mtu + " type veth peer name right-" + k + " mtu " + mtu
                    + " netns " + right);
            configure(left, "left-" + k, k, 1);
            configure(right, "right-" + k, k, 2);
        }
    }

    private static void configure(String ns, String dev, int plane, int host) {
        ip("-n " + ns + " addr add 10.79." + plane + "." + host + "/24 dev " + dev);
        ip("-n " + ns + " addr add fd79:" + plane + "::" + host + "/64 dev " + dev + " nodad");
        ip("-n " + ns + " link set " + dev + " up");
    }

    public String left() {
        return left;
    }

    public String right() {
        return right;
    }

    /** Runs {@code ip ARGUMENTS}; fails with its output. */
    public static String ip(String arguments) {
        return run(("ip " + arguments).split(" "));
    }

    public static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(
                        String.join(" ", command) + ": " + output + " (this test needs root and iproute2)");
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Calls {@code make} on a thread that stands in the namespace; sockets made there stay in it. */
    public static <T> T in(String namespace, Supplier<T> make) {
        FutureTask<T> task = new FutureTask<>(() -> {
            enter(namespace);
            return make.get();
        });
        Thread thread = new Thread(task, "in " + namespace);
        thread.start();
        try {
            return task.get();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        }
    }

    private static void enter(String namespace) {
        Sys sys = Sys.get();
        byte[] path = ("/run/netns/" + namespace + "\0").getBytes(StandardCharsets.UTF_8);
        long at = Mem.alloc(path.length);
        Mem.copy(path, 0, at, path.length);
        int fd = SysException.check(sys.open(at, Linux.O_RDONLY | Linux.O_CLOEXEC), "open " + namespace);
        Mem.free(at);
        SysException.check(sys.setns(fd, 0), "setns " + namespace, "needs root");
        sys.close(fd);
    }

    @Override
    public void close() {
        List<AssertionError> errors = new ArrayList<>();
        for (String ns : new String[] {left, right}) {
            try {
                ip("netns del " + ns);
            } catch (AssertionError e) {
                errors.add(e);
            }
        }
        @Nullable AssertionError first = errors.isEmpty() ? null : errors.get(0);
        if (first != null) {
            throw first;
        }
    }
}
