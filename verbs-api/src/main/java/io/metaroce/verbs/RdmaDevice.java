package io.metaroce.verbs;

/** A device that can be opened. */
public interface RdmaDevice {
    /** The name that {@code ibv_devices} prints. */
    String name();

    /**
     * Opens the device (ibv_open_device). Contexts of one device in one process share its network port and its thread; the last one to close stops both.
     *
     * @throws VerbsException with the reason: ENODEV no usable network device, EPERM no right to packet sockets, EADDRINUSE no free UDP port
     */
    DeviceContext open();
}
