package io.metaroce.shim;

import io.metaroce.provider.run.DeviceRuntime;
import io.metaroce.provider.slots.Abi;
import io.metaroce.provider.slots.Boot;

/** Where libmroce.so enters Java for the first time. */
public final class Bridge {
    private static final int EPROTO = 71;

    private Bridge() {}

    /**
     * Starts the device: compares the contract, opens the runtime, publishes the upcalls.
     *
     * @param boot address of {@code struct mroce_boot}; on failure its {@code error} holds a sentence
     * @return 0 or an errno
     */
    public static int start(long boot) {
        try {
            String difference = Abi.compare(Boot.abiTable(boot));
            if (difference != null) {
                Boot.error(boot, difference);
                return EPROTO;
            }
            DeviceRuntime runtime = DeviceRuntime.open(boot);
            Backend backend = new Backend() {
                @Override
                public int drive() {
                    return runtime.drive();
                }

                @Override
                public int command(int op, long record) {
                    return runtime.command(op, record);
                }
            };
            upcalls().publish(boot, new Guarded(backend, Throwable::printStackTrace));
            return 0;
        } catch (Throwable e) {
            String message = e.getMessage();
            Boot.error(boot, message != null ? message : e.toString());
            if (message == null || System.getenv("METAROCE_TRACE") != null) {
                e.printStackTrace();
            }
            return Guarded.EIO;
        }
    }

    private static Upcalls upcalls() throws ReflectiveOperationException {
        return Class.forName("io.metaroce.shim.FfmUpcalls")
                .asSubclass(Upcalls.class)
                .getDeclaredConstructor()
                .newInstance();
    }
}
