package io.metaroce.provider.api;

import io.metaroce.verbs.Gid;
import java.util.List;

/** A running device, as the verbs objects of a Java program need it. All methods are safe for use by many threads. */
public interface VerbsRuntime extends AutoCloseable {
    /** Address of the control block. */
    long control();

    /** Takes the turn and carries out a command of {@code mroce_abi.h}: 0 or an errno. */
    int command(int op, long record);

    /** Runs one duty cycle if nobody has the turn: what was moved, 0 for nothing. */
    int drive();

    /** Wakes the daemon thread. */
    void kick();

    /** The GID table: each address twice. */
    List<Gid> gids();

    /** MTU of the first network device. */
    int netdevMtu();

    /** Speed of the first network device in Mbit/s; 0 unknown. */
    long speedMbps();

    /** Whether the first network device has its link up. */
    boolean linkUp();

    long nodeGuid();

    /** Tells the peers, stops the thread, gives all back. */
    @Override
    void close();
}
