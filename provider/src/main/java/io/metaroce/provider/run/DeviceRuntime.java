package io.metaroce.provider.run;

import io.metaroce.provider.config.Config;
import io.metaroce.provider.config.PresharedKey;
import io.metaroce.provider.device.Device;
import io.metaroce.provider.device.DeviceConfig;
import io.metaroce.provider.device.PlainMemory;
import io.metaroce.provider.engine.Engine;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.stream.Streams;
import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.host.PortClaim;
import io.metaroce.provider.link.HostLink;
import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.EventSignal;
import io.metaroce.provider.slots.AsyncSlot;
import io.metaroce.provider.slots.Boot;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.GuardedMemory;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running device: its link, engine, objects and daemon, put together. Opened by the native shim with a boot record, or by a Java program; one of the first kind is
 * never closed from outside, it ends with its process.
 */
public final class DeviceRuntime implements AutoCloseable {
    /** What the peers get to be told at exit; the library waits for 20 ms. */
    private static final long CLOSE_NS = 15_000_000;

    private static final int ASYNC_SLOTS = 1024;

    private final Sys sys = Sys.get();
    private final Config config;
    private final long control;
    private final long asyncRing;
    private final int asyncFd;
    private final boolean ownsControl;
    private final boolean ownsAsync;
    private final Log log;
    private final Counters counters = new Counters();
    private final List<Plane> planes;
    private final PortClaim claim;
    private final HostLink link;
    private final Device device;
    private final Streams streams;
    private final Engine engine;
    private final Driver driver;
    private final IdlePolicy policy;
    private final Turn turn;
    private final ProgressThread daemon;
    private final Cycle applicationCycle = this::applicationCycle;
    private final long one = Mem.alloc(8);

    /** What differs between the two ways in. */
    private record Surroundings(
            Config config,
            List<Plane> planes,
            long control,
            boolean ownsControl,
            boolean ownsAsync,
            long asyncRing,
            int asyncFd,
            int gids,
            ApplicationMemory memory,
            @Nullable EventSignal signal) {}

    private DeviceRuntime(Surroundings s) {
        config = s.config;
        control = s.control;
        ownsControl = s.ownsControl;
        ownsAsync = s.ownsAsync;
        asyncRing = s.asyncRing;
        asyncFd = s.asyncFd;
        planes = s.planes;
        log = new Log(config.log());
        PresharedKey psk = config.pskFile().isEmpty() ? null : PresharedKey.read(config.pskFile());
        Mem.putLong(one, 1);
        claim = PortClaim.claim(sys, planes);
        try {
            link = new HostLink(sys, planes, claim.port(), counters);
        } catch (RuntimeException e) {
            claim.close();
            throw e;
        }
        long[] secrets = Entropy.longs(3);
        EngineConfig engineConfig = EngineConfig.of(secrets[0], secrets[1], claim.slot())
                .withPathsPerPlane(config.pathsPerPlane())
                .withWindowBytes(config.windowBytes());
        EventSignal signal = s.signal != null ? s.signal : fd -> sys.write(fd, one, 8);
        device = new Device(
                new DeviceConfig(claim.slot(), control, asyncRing, asyncFd, s.gids, secrets[2]),
                s.memory,
                signal,
                counters,
                System::nanoTime,
                log,
                log::note);
        streams = new Streams(engineConfig, device.regions(), device.completions(), device.events(), counters);
        engine = new Engine(engineConfig, link.routes(), streams, streams, device.events(), counters);
        streams.connect(engine.connections());
        if (psk != null) {
            engine.connections().require(psk);
        }
        device.connect(engine.control(), link.routes());
        driver = new Driver(control, link, engine, device.completions(), counters);
        policy = new IdlePolicy(control);
        turn = new Turn(sys, control);
        daemon = new ProgressThread(
                sys, control, turn, policy, this::daemonCycle, config.daemon(), link, this::closeEngine, this::failed);
        Control.nextDeadlineNs(control, Long.MAX_VALUE);
    }

    /**
     * Opens the device of a process with the native shim.
     *
     * @param boot address of {@code struct mroce_boot}; its slot is filled in
     * @throws RuntimeException with a sentence for the user
     */
    public static DeviceRuntime open(long boot) {
        Config config = Config.fromEnvironment();
        ApplicationMemory memory =
                GuardedMemory.of(Boot.fnCopy(boot), Boot.fnCas(boot), Boot.fnFetchAdd(boot), Boot.fnStore(boot));
        DeviceRuntime runtime = new DeviceRuntime(new Surroundings(
                config,
                planes(boot),
                Boot.control(boot),
                false,
                false,
                Boot.asyncRing(boot),
                Boot.asyncFd(boot),
                Boot.numGids(boot),
                memory,
                null));
        Boot.slot(boot, runtime.slot());
        runtime.daemon.start();
        return runtime;
    }

    /** The planes that the library has chosen, by what the kernel says of them now. */
    private static List<Plane> planes(long boot) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < Boot.numPlanes(boot); i++) {
            names.add(io.metaroce.provider.slots.Plane.ifname(Boot.plane(boot, i)));
        }
        try (Netlink netlink = new Netlink(Sys.get())) {
            List<Plane> found = Plane.find(netlink, names);
            List<Plane> planes = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                long chosen = Boot.plane(boot, i);
                planes.add(found.get(i)
                        .named(new IpAddress(
                                io.metaroce.provider.slots.Plane.addrHi(chosen),
                                io.metaroce.provider.slots.Plane.addrLo(chosen))));
            }
            return planes;
        }
    }

    /**
     * Opens the device for a Java program.
     *
     * @throws IllegalArgumentException when a netdev cannot be used
     * @throws SysException when the system refuses something, with what to do
     */
    public static DeviceRuntime open(Config config) {
        Sys sys = Sys.get();
        int async = SysException.check(sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK), "eventfd");
        long ring = Ring.allocate(ASYNC_SLOTS, AsyncSlot.SIZE);
        try {
            return open(config, ring, async, null, true);
        } catch (RuntimeException e) {
            sys.close(async);
            Ring.free(ring);
            throw e;
        }
    }

    /**
     * Opens the device for a Java program that has its own event descriptors.
     *
     * @param signal what gives an event descriptor its permit
     * @param asyncRing the ring of asynchronous events; stays the caller's
     * @param asyncFd its event descriptor, a number that {@code signal} knows
     */
    public static DeviceRuntime open(Config config, EventSignal signal, long asyncRing, int asyncFd) {
        return open(config, asyncRing, asyncFd, signal, false);
    }

    private static DeviceRuntime open(
            Config config, long asyncRing, int asyncFd, @Nullable EventSignal signal, boolean ownsAsync) {
        Sys sys = Sys.get();
        List<Plane> planes;
        try (Netlink netlink = new Netlink(sys)) {
            planes = Plane.find(netlink, config.netdevs());
        }
        long control = Control.allocate();
        int kick = SysException.check(sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK), "eventfd");
        Control.kickFd(control, kick);
        try {
            DeviceRuntime runtime = new DeviceRuntime(new Surroundings(
                    config,
                    planes,
                    control,
                    true,
                    ownsAsync,
                    asyncRing,
                    asyncFd,
                    2 * planes.get(0).addresses().size(),
                    new PlainMemory(),
                    signal));
            Control.state(control, Control.RUNNING);
            runtime.daemon.start();
            return runtime;
        } catch (RuntimeException e) {
            sys.close(kick);
            Mem.free(control);
            throw e;
        }
    }

    // ---- driving ----

    /** One duty cycle for a caller in C that holds the turn, and gives it back itself. What was moved; 0 idle. */
    public int drive() {
        return applicationCycle(System.nanoTime());
    }

    /** One duty cycle for a caller in Java, if nobody else drives. What was moved; 0 idle. */
    public int poll() {
        return Control.state(control) == Control.RUNNING ? Math.max(0, turn.drive(applicationCycle)) : 0;
    }

    /** A QP has new work: its doorbell, and a duty cycle if nobody drives. */
    public void ring(int qp) {
        Control.ring(control, qp);
        poll();
    }

    /**
     * Carries out a command of {@code mroce_abi.h} on the caller's thread, which waits for the turn.
     *
     * @return 0 or an errno
     */
    public int command(int op, long record) {
        if (!turn.acquireUnlessClosed()) {
            return Errno.ENODEV;
        }
        try {
            long now = System.nanoTime();
            int error = device.command(op, record, now);
            driver.run(now);
            return error;
        } finally {
            turn.release(driver);
        }
    }

    private int applicationCycle(long nowNs) {
        int moved = driver.run(nowNs, true);
        if (policy.applicationDrove(driver.received(), nowNs)) {
            turn.kick();
        }
        return moved;
    }

    private int daemonCycle(long nowNs) {
        int moved = driver.run(nowNs);
        policy.daemonDrove(driver.received());
        return moved;
    }

    // ---- what a device is made of ----

    public int slot() {
        return claim.slot();
    }

    public List<Plane> planes() {
        return planes;
    }

    public Counters counters() {
        return counters;
    }

    /** Address of the control block ({@code struct mroce_control}). */
    public long control() {
        return control;
    }

    /** Address of the ring of asynchronous events. */
    public long asyncRing() {
        return asyncRing;
    }

    /** The event descriptor of {@link #asyncRing}. */
    public int asyncFd() {
        return asyncFd;
    }

    /** Wakes the daemon: a CQ was armed, and its tick may be coarse. */
    public void kick() {
        turn.kick();
    }

    // ---- the end ----

    /** The daemon met what should not happen: every program is told, and the process may go on without the device. */
    private void failed(Throwable t) {
        log.accept("the device failed: " + t);
        t.printStackTrace();
        Mem.compareAndSetInt(control + Control.STATE, Control.RUNNING, Control.FATAL);
        turn.acquire();
        device.fatal();
        turn.release(now -> 0);
    }

    /**
     * By the daemon, last: peers hear the last words of every QP and a CLOSE, and the counters are written. The turn is never given back. A native program is at its
     * exit and may have stopped a thread in the middle of a cycle: there the turn is not waited for longer than the time there is.
     */
    private void closeEngine() {
        long end = System.nanoTime() + CLOSE_NS;
        boolean had = turn.acquireUntil(ownsControl ? Long.MAX_VALUE : end);
        try {
            if (had) {
                device.leave(System.nanoTime());
                driver.run(System.nanoTime());
            }
            writeStats();
            if (had) {
                awaitFinals(end);
            }
        } catch (RuntimeException e) {
            log.accept("closing failed: " + e);
        }
        Control.state(control, Control.CLOSED_STATE);
        Control.closed(control, 1);
        sys.futexWake(control + Control.CLOSED, Integer.MAX_VALUE);
    }

    private void writeStats() {
        if (!config.stats().isEmpty()) {
            link.countDrops();
            new Log(config.stats()).write(counters.toString());
        }
    }

    private void awaitFinals(long endNs) {
        long now = System.nanoTime();
        while (streams.finalsPending() && now < endNs) {
            if (driver.run(now) == 0) {
                sys.schedYield();
            }
            now = System.nanoTime();
        }
        engine.shutdown(now);
        engine.transmit(link, now);
        link.flush(now);
    }

    /** Closes the device of a Java program. Its objects must no longer be used. */
    @Override
    public void close() {
        if (!ownsControl) {
            throw new IllegalStateException("the device of the native library ends with its process");
        }
        if (Control.state(control) == Control.CLOSED_STATE) {
            return;
        }
        Control.state(control, Control.CLOSING);
        turn.kick();
        daemon.join();
        link.close();
        claim.close();
        engine.close();
        streams.close();
        device.close();
        sys.close(Control.kickFd(control));
        if (ownsAsync) {
            sys.close(asyncFd);
            Ring.free(asyncRing);
        }
        daemon.close();
        turn.close();
        // The control block itself stays: a thread that polls late must find the turn held.
        Mem.free(one);
    }
}
