package io.metaroce.verbs;

import io.metaroce.verbs.spi.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The devices of this machine (ibv_get_device_list). */
public final class RdmaDevices {
    private RdmaDevices() {}

    /** All devices of all implementations on the class path. */
    public static List<RdmaDevice> list() {
        List<RdmaDevice> devices = new ArrayList<>();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            devices.addAll(provider.devices());
        }
        return List.copyOf(devices);
    }

    /**
     * The first device.
     *
     * @throws VerbsException ENODEV if there is none
     */
    public static RdmaDevice first() {
        List<RdmaDevice> devices = list();
        if (devices.isEmpty()) {
            throw new VerbsException("get_device_list", Errno.ENODEV, "there is no RDMA device on this machine");
        }
        return devices.get(0);
    }

    /**
     * The device of this name, {@code mroce0} for instance.
     *
     * @throws VerbsException ENODEV if there is none
     */
    public static RdmaDevice named(String name) {
        for (RdmaDevice device : list()) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new VerbsException("get_device_list", Errno.ENODEV, "there is no RDMA device " + name);
    }
}
