package io.metaroce.provider.config;

import io.metaroce.provider.engine.EngineConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The settings of a device.
 *
 * @param netdevs METAROCE_IFACE: names of the planes' netdevs, separated by commas; empty: the default one
 * @param pathsPerPlane METAROCE_PATHS: paths of a connection on each plane, 1 to 64; fewer where all planes together would have more than 64
 * @param windowBytes METAROCE_WINDOW: most bytes in flight of a connection, 16384 to 1 GiB; what it has in flight is the congestion control's affair
 * @param stats METAROCE_STATS: where the counters go at close: empty nowhere, "stderr" (also written 1), else a file
 * @param log METAROCE_LOG: where the log goes: "failures" (on stderr, the default), "off" (also written 0), "stderr" (also written 1), else a file
 * @param daemon METAROCE_DAEMON: scheduling of the daemon thread
 * @param pskFile METAROCE_PSK_FILE: the file with the key that both ends of a connection must have; empty: none
 */
public record Config(
        List<String> netdevs,
        int pathsPerPlane,
        int windowBytes,
        String stats,
        String log,
        DaemonClass daemon,
        String pskFile) {
    /** Scheduling of the daemon thread. */
    public enum DaemonClass {
        /** Real time where the system allows it, else the default class. */
        AUTO,
        /** Real time (SCHED_FIFO 1), or an error line and the default class. */
        FIFO,
        /** The default class. */
        NORMAL
    }

    private static final int MAX_NETDEV_NAME = 15;

    public Config {
        netdevs = List.copyOf(netdevs);
    }

    /** The settings of this process. */
    public static Config fromEnvironment() {
        return of(System.getenv());
    }

    /**
     * Reads the variables.
     *
     * @throws IllegalArgumentException with a sentence that names the variable, its value and what it may be
     */
    public static Config of(Map<String, String> environment) {
        return new Config(
                netdevs(environment.getOrDefault("METAROCE_IFACE", "")),
                number(environment, "METAROCE_PATHS", EngineConfig.PATHS, 1, 64),
                number(environment, "METAROCE_WINDOW", 1 << 26, 1 << 14, 1 << 30),
                target(environment.getOrDefault("METAROCE_STATS", ""), ""),
                target(environment.getOrDefault("METAROCE_LOG", "failures"), "off"),
                daemon(environment.getOrDefault("METAROCE_DAEMON", "auto")),
                environment.getOrDefault("METAROCE_PSK_FILE", ""));
    }

    private static List<String> netdevs(String text) {
        List<String> names = new ArrayList<>();
        for (String part : text.split("[, ]")) {
            if (part.length() > MAX_NETDEV_NAME || part.contains("/")) {
                throw new IllegalArgumentException("METAROCE_IFACE=" + text + ": \"" + part
                        + "\" is no name of a netdev (1 to 15 characters, see: ip link)");
            }
            if (!part.isEmpty()) {
                names.add(part);
            }
        }
        return names;
    }

    private static int number(Map<String, String> environment, String name, int otherwise, int least, int most) {
        String text = environment.getOrDefault(name, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the sentence below says it
        }
        throw new IllegalArgumentException(
                name + "=" + text + ": must be a whole number from " + least + " to " + most);
    }

    private static String target(String text, String off) {
        return switch (text) {
            case "", "0", "off" -> off;
            case "1", "stderr" -> "stderr";
            default -> text;
        };
    }

    private static DaemonClass daemon(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "auto" -> DaemonClass.AUTO;
            case "fifo" -> DaemonClass.FIFO;
            case "normal" -> DaemonClass.NORMAL;
            default -> throw new IllegalArgumentException("METAROCE_DAEMON=" + text + ": must be auto, fifo or normal");
        };
    }
}
