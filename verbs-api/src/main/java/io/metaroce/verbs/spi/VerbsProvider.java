package io.metaroce.verbs.spi;

import io.metaroce.verbs.RdmaDevice;
import java.util.List;

/** An implementation of the verbs, registered in {@code META-INF/services}. */
public interface VerbsProvider {
    /** The devices of this machine, in a stable order; empty when there are none. Nothing is opened and no thread is started. */
    List<RdmaDevice> devices();
}
