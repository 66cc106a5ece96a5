package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.path.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** As many paths on each plane as wanted, 64 for all planes at most, and none of the planes without (protocol section 13). */
final class PathCountTest {
    /** Opens a connection, which works, and counts its paths by plane. */
    private static Map<Integer, Integer> open(int planes, int pathsPerPlane) {
        LivePair pair = new LivePair(planes, pathsPerPlane);
        assertEquals(pair.c().paths.length, Long.bitCount(pair.c().allMask));
        pair.traffic(1, 40);
        pair.assertAllDelivered(pair.sent, planes + " planes");
        Map<Integer, Integer> count = new TreeMap<>();
        for (Path path : pair.c().paths) {
            count.merge(path.localPlane, 1, Integer::sum);
        }
        return count;
    }

    @Test
    void the_default_is_16_on_each_of_up_to_four_planes() {
        assertEquals(Map.of(0, 16), open(1, EngineConfig.PATHS));
        assertEquals(Map.of(0, 16, 1, 16, 2, 16, 3, 16), open(4, EngineConfig.PATHS));
    }

    @Test
    void more_planes_share_64() {
        assertEquals(Map.of(0, 12, 1, 12, 2, 12, 3, 12, 4, 12), open(5, EngineConfig.PATHS));
        assertEquals(Map.of(0, 8, 1, 8, 2, 8, 3, 8, 4, 8, 5, 8, 6, 8, 7, 8), open(8, EngineConfig.PATHS));
        assertEquals(Map.of(0, 21, 1, 21, 2, 21), open(3, 64));
    }
}
