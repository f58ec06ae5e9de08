package io.github.senderwhitelist.mailet.server;

import org.apache.james.metrics.api.GaugeRegistry;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The figures of lists of one type, as gauges.
 *
 * <p>James cannot unregister a gauge. So the gauges of a name are registered once and show the list
 * that has the name now. When none has it, they show 0 or NaN and keep no list in memory.
 *
 * @param <L> the type of the lists
 */
final class Gauges<L> {
    private final GaugeRegistry registry;
    private final List<Figure<L>> figures;
    private final Map<String, AtomicReference<@Nullable L>> byName = new HashMap<>();

    Gauges(GaugeRegistry registry, List<Figure<L>> figures) {
        this.registry = registry;
        this.figures = figures;
    }

    /** Shows the figures of a list under this name. */
    synchronized void show(String name, L list) {
        AtomicReference<@Nullable L> shown = byName.get(name);
        if (shown == null) {
            shown = new AtomicReference<>();
            byName.put(name, shown);
            register(WhitelistMetrics.PREFIX + "list." + name + ".", shown);
        }
        shown.set(list);
    }

    /** Stops showing the list of this name. */
    synchronized void hide(String name) {
        AtomicReference<@Nullable L> shown = byName.get(name);
        if (shown != null) {
            shown.set(null);
        }
    }

    private void register(String prefix, AtomicReference<@Nullable L> shown) {
        for (Figure<L> figure : figures) {
            registry.register(
                    prefix + figure.metric(),
                    () -> {
                        L list = shown.get();
                        return list == null ? figure.none() : figure.value().of(list);
                    });
        }
    }
}
