package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.SplitMix;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.provider.engine.cc.PathPicker;
import io.metaroce.provider.engine.cc.RateShares;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.timer.Timers;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.Routes;

/** What every class of this package needs: the world, the other layers, and scratch objects that live for one call. */
final class Context {
    final EngineConfig config;
    final Routes routes;
    final StreamLayer streams;
    final Events events;
    final Counters counters;
    final SplitMix random;
    final PathPicker picker;
    final RateShares shares;
    final Timers timers = new Timers();
    final Record record = new Record();
    final int[] cleared = new int[PathSender.WINDOW];
    /** Time of the last call from outside. */
    long nowNs;

    Context(EngineConfig config, Routes routes, StreamLayer streams, Events events, Counters counters) {
        this.config = config;
        this.routes = routes;
        this.streams = streams;
        this.events = events;
        this.counters = counters;
        this.random = new SplitMix(config.seed());
        this.picker = new PathPicker(random);
        this.shares = new RateShares(routes.planes());
        if (config.hints()) {
            for (int plane = 0; plane < routes.planes(); plane++) {
                shares.link(plane, routes.planeMbps(plane) * 1_000_000L);
            }
        }
    }
}
