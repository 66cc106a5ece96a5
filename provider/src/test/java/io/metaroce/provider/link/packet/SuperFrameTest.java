package io.metaroce.provider.link.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SuperFrameTest {
    /** VIRTIO_NET_HDR_GSO_UDP_L4 came to packet sockets with Linux 6.2. */
    @ParameterizedTest
    @CsvSource({
        "5.15.0-91-generic, false",
        "6.1.0-18-amd64, false",
        "6.2.0, true",
        "6.18.5+, true",
        "7.0-rc1, true",
        "10.4, true",
        "unknown, false"
    })
    void kernels_that_know_joined_frames(String release, boolean known) {
        assertEquals(known, SuperFrame.isKnownTo(release));
    }
}
