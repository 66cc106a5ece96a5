package io.metaroce.provider.api;

import io.metaroce.verbs.RdmaDevice;
import io.metaroce.verbs.spi.VerbsProvider;
import java.util.List;

/** Makes the device {@code mroce0} known to {@link io.metaroce.verbs.RdmaDevices}. */
public final class JavaProvider implements VerbsProvider {
    private static final JavaDevice DEVICE = new JavaDevice("mroce0", RunningDevice::open);

    @Override
    public List<RdmaDevice> devices() {
        return List.of(DEVICE);
    }
}
