package io.metaroce.provider.api;

import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.RdmaDevice;
import org.jspecify.annotations.Nullable;

/** A device and its session, which lives from the first open context to the last. */
final class JavaDevice implements RdmaDevice {
    private final String name;
    private final Session.Opener opener;
    private @Nullable Session session;

    JavaDevice(String name, Session.Opener opener) {
        this.name = name;
        this.opener = opener;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized DeviceContext open() {
        Session running = session;
        if (running == null) {
            running = new Session(opener);
            session = running;
        }
        JavaContext context = new JavaContext(this, running);
        running.add(context);
        return context;
    }

    synchronized void close(JavaContext context) {
        Session running = session;
        if (running != null && running.remove(context)) {
            session = null;
            running.close();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
