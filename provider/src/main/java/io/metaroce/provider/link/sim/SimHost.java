package io.metaroce.provider.link.sim;

import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A host's side of the fabric: what a link is to a real engine. Destinations are {@code plane << 24 | target} with one UDP port a host. */
public final class SimHost implements TxBatch, Routes {
    /** What a host runs: the engine's calls, without naming the engine. */
    public interface Station {
        int onFrames(RxBatch batch, long nowNs);

        void onTime(long nowNs);

        int transmit(TxBatch batch, long nowNs);

        long nextDeadlineNs();

        /** The application's turn, after the engine's; true when it posted something. */
        boolean application(long nowNs);
    }

    /** Bytes that may wait in a NIC before the host is told to stop. */
    static final int NIC_BYTES = 64 * 1024;

    private final SimFabric fabric;
    final int index;
    private final int[] planeMap;

    @Nullable
    Station station;

    int[] inbox = new int[64];
    int inboxCount;
    long stalledUntilNs;
    /** The earliest time for which a RUN event is queued. */
    long runAtNs = Long.MAX_VALUE;

    private int building = -1;
    /** The NIC refused a frame in the last transmission; a RUN event waits for its drain. */
    boolean blocked;

    SimHost(SimFabric fabric, int index, int planes) {
        this.fabric = fabric;
        this.index = index;
        planeMap = new int[planes];
        Arrays.setAll(planeMap, p -> p);
    }

    /** Puts the engine (and its application) onto this host. */
    public void start(Station newStation) {
        station = newStation;
        fabric.wake(this, fabric.nowNs());
    }

    /** The host stops without a word (kill -9). */
    public void kill() {
        station = null;
    }

    /** The host's process is descheduled. */
    public void stall(long durationNs) {
        stalledUntilNs = Math.max(stalledUntilNs, fabric.nowNs() + durationNs);
    }

    /** Something happened on this host from outside (work was posted): it runs now. */
    public void wake() {
        fabric.wake(this, fabric.nowNs());
    }

    /** Runs at a later time, whatever happens before. */
    public void wakeAt(long timeNs) {
        fabric.wake(this, timeNs);
    }

    int takeInbox(RxBatch batch, Frames frames) {
        int n = Math.min(inboxCount, RxBatch.CAPACITY);
        batch.clear();
        for (int i = 0; i < n; i++) {
            int f = inbox[i];
            batch.add(
                    frames.address[f],
                    frames.length[f],
                    frames.plane[f],
                    frames.congested[f] ? 3 : 2,
                    0,
                    address(frames.source[f], frames.sourcePlane[f]),
                    frames.sourcePort[f]);
        }
        return n;
    }

    void dropInbox(int n, Frames frames) {
        for (int i = 0; i < n; i++) {
            frames.give(inbox[i]);
        }
        System.arraycopy(inbox, n, inbox, 0, inboxCount - n);
        inboxCount -= n;
    }

    boolean receive(int frame, int limit) {
        if (inboxCount >= limit) {
            return false;
        }
        if (inboxCount == inbox.length) {
            inbox = Arrays.copyOf(inbox, inboxCount * 2);
        }
        inbox[inboxCount++] = frame;
        return true;
    }

    /** IPv4-mapped 10.plane.host.host. */
    static long address(int host, int plane) {
        return 0x0000ffff_0a000000L | (long) plane << 16 | (host + 1);
    }

    // TxBatch

    @Override
    public long begin(int destination) {
        SimPort nic = fabric.topology().port(fabric.topology().nic(index, destination >>> 24));
        if (nic.queuedBytes(fabric.nowNs()) > NIC_BYTES) {
            blocked = true;
            fabric.wake(this, nic.drainedAtNs(NIC_BYTES / 2));
            return 0;
        }
        if (building < 0) {
            building = fabric.frames().take();
        }
        return fabric.frames().address[building];
    }

    @Override
    public void commit(int destination, int sourcePort, int bytes) {
        int frame = building;
        building = -1;
        fabric.send(this, frame, destination & 0xffffff, destination >>> 24, sourcePort, bytes);
    }

    // Routes

    @Override
    public int planes() {
        return planeMap.length;
    }

    @Override
    public long planeHi(int plane) {
        return 0;
    }

    @Override
    public long planeLo(int plane) {
        return address(index, plane);
    }

    @Override
    public int planeMbps(int plane) {
        return (int)
                (fabric.topology().port(fabric.topology().nic(index, plane)).gbps() * 1000);
    }

    @Override
    public int localPort() {
        return SimFabric.UDP_PORT;
    }

    @Override
    public int destination(int plane, long remoteHi, long remoteLo, int port) {
        int host = (int) (remoteLo & 0xffff) - 1;
        int remotePlane = (int) (remoteLo >>> 16 & 0xff);
        boolean known = remoteHi == 0
                && remoteLo >>> 24 == 0x0000ffff_0aL
                && host >= 0
                && host < fabric.topology().hosts()
                && port == SimFabric.UDP_PORT;
        return known && remotePlane == plane ? plane << 24 | host : -1;
    }

    @Override
    public void release(int destination) {
        // nothing is kept for a destination
    }

    @Override
    public int maxPayload(int destination) {
        return fabric.mtuBytes() - 28;
    }
}
