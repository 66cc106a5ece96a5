package io.metaroce.provider.api;

import io.metaroce.provider.config.Config;
import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.run.DeviceRuntime;
import io.metaroce.provider.sys.SysException;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.Gid;
import io.metaroce.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The device over this host's network devices. */
final class RunningDevice implements VerbsRuntime {
    private final DeviceRuntime device;
    private final Plane plane;
    private final List<Gid> gids;

    private RunningDevice(DeviceRuntime device) {
        this.device = device;
        plane = device.planes().get(0);
        List<Gid> table = new ArrayList<>();
        for (IpAddress address : plane.addresses()) {
            Gid gid = new Gid(address.hi(), address.lo());
            table.add(gid);
            table.add(gid);
        }
        gids = List.copyOf(table);
    }

    /** Opens by the settings of the environment. */
    static VerbsRuntime open(JavaSignals signals, long asyncRing, int asyncFd) {
        return open(System.getenv(), signals, asyncRing, asyncFd);
    }

    /** Opens by these settings; see {@link Config}. */
    static VerbsRuntime open(Map<String, String> settings, JavaSignals signals, long asyncRing, int asyncFd) {
        try {
            return new RunningDevice(DeviceRuntime.open(Config.of(settings), signals, asyncRing, asyncFd));
        } catch (SysException e) {
            throw new VerbsException("open_device", Math.abs(e.errno()), message(e), e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new VerbsException("open_device", Errno.ENODEV, message(e), e);
        }
    }

    private static String message(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message;
    }

    @Override
    public long control() {
        return device.control();
    }

    @Override
    public int command(int op, long record) {
        return device.command(op, record);
    }

    @Override
    public int drive() {
        return device.poll();
    }

    @Override
    public void kick() {
        device.kick();
    }

    @Override
    public List<Gid> gids() {
        return gids;
    }

    @Override
    public int netdevMtu() {
        return plane.device().mtu();
    }

    @Override
    public long speedMbps() {
        return plane.speedMbps();
    }

    @Override
    public boolean linkUp() {
        return plane.device().isUp();
    }

    /** EUI-64 of the hardware address (RFC 4291, appendix A); a netdev without one gets a locally administered number made of its address. */
    @Override
    public long nodeGuid() {
        NetDevice netdev = plane.device();
        long mac = netdev.mac();
        if (mac == 0) {
            long ip = gids.get(0).lo() & 0xffff_ffffL;
            return 0x0200_00ff_fe00_0000L | (ip >>> 16) << 40 | (ip & 0xffff);
        }
        return (mac >>> 24 ^ 0x02_0000) << 40 | 0xff_fe00_0000L | (mac & 0xff_ffff);
    }

    @Override
    public void close() {
        device.close();
    }
}
