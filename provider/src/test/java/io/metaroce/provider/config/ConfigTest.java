package io.metaroce.provider.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigTest {
    @Test
    void nothing_set_gives_the_defaults() {
        Config config = Config.of(Map.of());
        assertEquals(List.of(), config.netdevs());
        assertEquals(16, config.pathsPerPlane());
        assertEquals(1 << 26, config.windowBytes());
        assertEquals("", config.stats());
        assertEquals("failures", config.log());
        assertEquals(Config.DaemonClass.AUTO, config.daemon());
    }

    @Test
    void every_variable_is_read() {
        Config config = Config.of(Map.of(
                "METAROCE_IFACE", "eth0,eth1",
                "METAROCE_PATHS", "12",
                "METAROCE_WINDOW", "65536",
                "METAROCE_STATS", "1",
                "METAROCE_LOG", "0",
                "METAROCE_DAEMON", "normal"));
        assertEquals(List.of("eth0", "eth1"), config.netdevs());
        assertEquals(12, config.pathsPerPlane());
        assertEquals(65536, config.windowBytes());
        assertEquals("stderr", config.stats());
        assertEquals("off", config.log());
        assertEquals(Config.DaemonClass.NORMAL, config.daemon());
        assertEquals("/tmp/s", Config.of(Map.of("METAROCE_STATS", "/tmp/s")).stats());
    }

    @Test
    void a_bad_value_is_answered_with_its_name_and_what_it_may_be() {
        assertSentence("METAROCE_PATHS", "0", "from 1 to 64");
        assertSentence("METAROCE_PATHS", "65", "from 1 to 64");
        assertSentence("METAROCE_PATHS", "many", "from 1 to 64");
        assertSentence("METAROCE_WINDOW", "1", "from 16384 to 1073741824");
        assertSentence("METAROCE_DAEMON", "fast", "auto, fifo or normal");
        assertSentence("METAROCE_IFACE", "a-name-that-is-too-long", "no name of a netdev");
    }

    private static void assertSentence(String name, String value, String part) {
        String message =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> Config.of(Map.of(name, value)))
                        .getMessage());
        assertTrue(message.startsWith(name + "=" + value) && message.contains(part), message);
    }
}
