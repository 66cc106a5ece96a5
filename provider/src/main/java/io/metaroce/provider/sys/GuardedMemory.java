package io.metaroce.provider.sys;

import io.metaroce.provider.port.ApplicationMemory;

/** Application memory under the shim, touched only through four functions of the library that answer a fault with -EFAULT. */
public final class GuardedMemory {
    private GuardedMemory() {}

    /**
     * Arguments are the addresses of the functions in the boot record of {@code mroce_abi.h}.
     *
     * @throws IllegalStateException on a JDK without java.lang.foreign
     */
    public static ApplicationMemory of(long copy, long cas, long fetchAdd, long store) {
        try {
            return Class.forName("io.metaroce.provider.sys.FfmGuardedMemory")
                    .asSubclass(ApplicationMemory.class)
                    .getDeclaredConstructor(long.class, long.class, long.class, long.class)
                    .newInstance(copy, cas, fetchAdd, store);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalStateException(
                    "The shim needs JDK 22 or newer with --enable-native-access=ALL-UNNAMED; this is JDK "
                            + Runtime.version().feature(),
                    e);
        }
    }
}
