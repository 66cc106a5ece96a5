package io.metaroce.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.UnknownHostException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class GidTest {
    @Test
    void an_ipv4_address_is_mapped() throws UnknownHostException {
        Gid gid = Gid.of(InetAddress.getByName("10.78.0.1"));
        assertEquals("0000:0000:0000:0000:0000:ffff:0a4e:0001", gid.toString()); // RFC 4291, 2.5.5.2
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 78, 0, 1}, gid.bytes());
        assertEquals(gid, Gid.parse("10.78.0.1"));
        assertEquals(gid, Gid.parse("::ffff:10.78.0.1"));
    }

    @Test
    void an_ipv6_address_is_itself() {
        assertEquals(new Gid(0xfe80_0000_0000_0000L, 0x0042_acff_fe11_0002L), Gid.parse("fe80::42:acff:fe11:2"));
    }

    @Test
    void anything_else_is_refused() {
        for (String text : new String[] {"", "localhost", "1.2.3.4.5", "fe80::1%eth0", "12345::", "zz::1"}) {
            assertThrows(IllegalArgumentException.class, () -> Gid.parse(text), text);
        }
        assertThrows(IllegalArgumentException.class, () -> Gid.of(new byte[15]));
    }

    @Property
    void text_and_bytes_lead_back(@ForAll long hi, @ForAll long lo) {
        Gid gid = new Gid(hi, lo);
        assertEquals(gid, Gid.of(gid.bytes()));
        assertEquals(gid, Gid.parse(gid.toString()));
    }
}
