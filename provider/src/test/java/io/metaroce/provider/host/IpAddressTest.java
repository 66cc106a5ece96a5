package io.metaroce.provider.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class IpAddressTest {
    @Test
    void an_ipv4_address_is_mapped_as_rfc_4291_says() {
        IpAddress a = IpAddress.parse("10.78.0.1");
        assertEquals(0, a.hi());
        assertEquals(0x0000_ffff_0a4e_0001L, a.lo());
        assertTrue(a.isV4());
        assertEquals("10.78.0.1", a.toString());
        assertEquals(a, IpAddress.v4(0x0a4e0001));
    }

    @Test
    void ipv6_is_written_as_rfc_5952_says() {
        for (String text : new String[] {"2001:db8::1", "::1", "fd79:1::2", "2001:db8:0:1:1:1:1:1", "fe80::"}) {
            assertEquals(text, IpAddress.parse(text).toString());
        }
        assertEquals(
                "2001:db8::1:0:0:1", IpAddress.parse("2001:db8:0:0:1:0:0:1").toString());
        assertEquals(0x2001_0db8_0000_0000L, IpAddress.parse("2001:db8::1").hi());
        assertEquals(1, IpAddress.parse("2001:db8::1").lo());
    }

    @Test
    void scopes_are_told_apart() {
        assertTrue(IpAddress.parse("fe80::1").isLinkLocal());
        assertTrue(IpAddress.parse("febf::1").isLinkLocal());
        assertFalse(IpAddress.parse("fec0::1").isLinkLocal());
        assertFalse(IpAddress.parse("169.254.0.1").isLinkLocal());
        assertTrue(IpAddress.parse("127.9.9.9").isLoopback());
        assertTrue(IpAddress.parse("::1").isLoopback());
        assertFalse(IpAddress.parse("128.0.0.1").isLoopback());
    }

    @Test
    void names_are_refused_and_not_looked_up() {
        for (String text : new String[] {"localhost", "", "10.0.0.256", "a", "1:2", "fe80::1%1"}) {
            assertThrows(IllegalArgumentException.class, () -> IpAddress.parse(text), text);
        }
    }
}
