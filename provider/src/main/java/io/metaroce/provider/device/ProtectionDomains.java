package io.metaroce.provider.device;

import io.metaroce.provider.slots.Commands;
import java.util.Arrays;

/** Protection domains, numbered from 1, and how many regions and queue pairs each has. */
final class ProtectionDomains {
    private static final int FREE = -1;

    private int[] users = new int[64];
    private int next = 1;
    private int count;

    ProtectionDomains() {
        Arrays.fill(users, FREE);
    }

    /** A new one's number, or -1 when there are as many as can be. */
    int add() {
        if (count == Commands.MAX_PD) {
            return -1;
        }
        while (next < users.length && users[next] != FREE) {
            next++;
        }
        if (next == users.length) {
            users = Arrays.copyOf(users, next * 2);
            Arrays.fill(users, next, users.length, FREE);
        }
        users[next] = 0;
        count++;
        return next++;
    }

    boolean exists(int pd) {
        return pd > 0 && pd < users.length && users[pd] != FREE;
    }

    void use(int pd, int delta) {
        users[pd] += delta;
    }

    /** Answers 0, EINVAL, or EBUSY while something belongs to it. */
    int remove(int pd) {
        if (!exists(pd)) {
            return Errno.EINVAL;
        }
        if (users[pd] > 0) {
            return Errno.EBUSY;
        }
        users[pd] = FREE;
        next = Math.min(next, pd);
        count--;
        return 0;
    }
}
