package io.metaroce.conformance;

import java.util.List;
import org.junit.jupiter.api.Test;

/** ibv_devices and ibv_devinfo print true values. */
final class DeviceListTest {
    private static final int TIMEOUT_S = 60;

    private static Mroce.Result alone(String mtu, String command) {
        return Mroce.pair(List.of("--mtu", mtu), TIMEOUT_S, "true", command).mustSucceed();
    }

    @Test
    void ibv_devices_lists_the_device_with_a_guid() {
        alone("1500", "ibv_devices").mustPrint("^ +mroce0\\s+[0-9a-f]{16}$");
    }

    @Test
    void ibv_devinfo_tells_the_mtu_of_the_link_and_its_address() {
        alone("1500", "ibv_devinfo -v -d mroce0")
                .mustPrint("hca_id:\tmroce0")
                .mustPrint("state:\t+PORT_ACTIVE \\(4\\)")
                .mustPrint("active_mtu:\t+1024 \\(3\\)")
                .mustPrint("link_layer:\t+Ethernet")
                .mustPrint("atomic_cap:\t+ATOMIC_HCA \\(1\\)")
                .mustPrint("max_sge:\t+32$")
                .mustPrint("GID\\[ +0\\]:\t+::ffff:10\\.78\\.0\\.2, RoCE v2");
        alone("9000", "ibv_devinfo -v -d mroce0").mustPrint("active_mtu:\t+4096 \\(5\\)");
    }
}
