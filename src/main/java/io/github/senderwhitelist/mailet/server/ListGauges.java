package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.refresh.FileList;

import org.apache.james.metrics.api.GaugeRegistry;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * The figures of lists of one type, as gauges {@code senderWhitelist.list.NAME.FIGURE}.
 *
 * <p>James cannot unregister a gauge. So the gauges of a name are registered once and show the list
 * that has the name now. When none has it, they show 0, or NaN for a rate, and keep no list in
 * memory.
 *
 * @param <L> the type of the lists
 */
final class ListGauges<L> {
    /** The figures of a list in a file: a {@link Double} for a rate, else a {@link Long}. */
    static final Map<String, Function<FileList, Number>> OF_FILES = counted(FileList::counters);

    /** The figures of a list in a database. */
    static final Map<String, Function<LivingList, Number>> OF_DATABASES =
            counted(LivingList::counters);

    static {
        OF_FILES.put("entries", list -> list.status().header().entries());
        OF_FILES.put(
                "generation.age",
                list -> Duration.between(list.status().built(), Instant.now()).toSeconds());
        OF_FILES.put("degraded", list -> list.status().problem() == null ? 0L : 1L);
        OF_FILES.put("reloads.done", list -> list.status().done());
        OF_FILES.put("reloads.heldBack", list -> list.status().heldBack());
        OF_FILES.put("reloads.failed", list -> list.status().failed());
        OF_FILES.put(
                "filter.expectedFalsePositiveRate",
                list -> {
                    var header = list.status().header();
                    return header.addressFilter().rate(header.addresses());
                });
        // Only exact lookups can show which answers of the filter were wrong.
        OF_FILES.computeIfPresent(
                "filter.falsePositiveRate",
                (name, rate) ->
                        list -> list.settings().exactLookup() ? rate.apply(list) : Double.NaN);
        OF_DATABASES.put("entries", list -> list.status().entries());
        OF_DATABASES.put("changes", list -> list.status().changes());
        OF_DATABASES.put("changes.bytes", list -> list.status().changeBytes());
        OF_DATABASES.put("merges", list -> list.status().merges());
        OF_DATABASES.put("degraded", list -> list.status().degraded() ? 1L : 0L);
        OF_DATABASES.put("behind", list -> list.status().behind() ? 1L : 0L);
    }

    /** Returns the figures that all lists have. */
    private static <L> Map<String, Function<L, Number>> counted(Function<L, ListCounters> of) {
        Map<String, Function<L, Number>> figures = new TreeMap<>();
        figures.put("filter.no", list -> of.apply(list).filterNo());
        figures.put("filter.maybe", list -> of.apply(list).filterMaybe());
        figures.put("filter.falsePositives", list -> of.apply(list).falsePositives());
        figures.put("filter.falsePositiveRate", list -> of.apply(list).falsePositiveRate());
        figures.put("domainFilter.maybe", list -> of.apply(list).domainMaybe());
        figures.put("domainFilter.falsePositives", list -> of.apply(list).domainFalsePositives());
        figures.put("cache.hits", list -> of.apply(list).cacheHits());
        figures.put("cache.hitRate", list -> of.apply(list).cacheHitRate());
        figures.put("lookups.done", list -> of.apply(list).lookups());
        figures.put("lookups.failed", list -> of.apply(list).failures());
        return figures;
    }

    private final GaugeRegistry registry;
    private final Map<String, Function<L, Number>> figures;
    private final Map<String, AtomicReference<@Nullable L>> byName = new HashMap<>();

    ListGauges(GaugeRegistry registry, Map<String, Function<L, Number>> figures) {
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
        figures.forEach(
                (figure, value) -> {
                    Number none = figure.endsWith("Rate") ? (Number) Double.NaN : (Number) 0L;
                    registry.register(
                            prefix + figure,
                            () -> {
                                L list = shown.get();
                                return list == null ? none : value.apply(list);
                            });
                });
    }
}
