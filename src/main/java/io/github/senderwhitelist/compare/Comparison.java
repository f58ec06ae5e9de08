package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.compare.CandidateBuilder.Built;
import io.github.senderwhitelist.compare.Row.Growth;
import io.github.senderwhitelist.compare.Row.More;
import io.github.senderwhitelist.compare.Timing.Times;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The comparison of filters: it builds one of each kind from the same addresses and measures all of
 * them side by side. If the text of the addresses is at hand, a {@code HashSet} and a sorted array
 * are compared, too.
 */
public final class Comparison {
    private static final int WARM_UP_ADDRESSES = 5_000;
    private static final int WARM_UP_BUILDS = 6;
    private static final int LEAST_ADDRESSES = 1_000;
    private static final int POINT_ADDRESSES = 100_000;
    private static final int LEAST_BITS = 4;
    private static final int MOST_BITS = 16;
    private static final double LINE_STEP = 0.125;
    private static final long LEAST_STRANGERS = 1_000_000;
    private static final long MOST_STRANGERS = 10_000_000;
    private static final long LEAST_POINT_STRANGERS = 100_000;
    private static final long MOST_POINT_STRANGERS = 4_000_000;

    private final ListedAddresses addresses;
    private final ComparisonSettings settings;
    private final CandidateBuilder builder;
    private final Timing timing;
    private final Strangers strangers;
    private boolean warm;

    /** Creates a comparison on these addresses, at least one. */
    public Comparison(ListedAddresses addresses, ComparisonSettings settings) {
        this.addresses = addresses;
        this.settings = settings;
        this.builder = new CandidateBuilder(addresses, settings.scratch());
        this.strangers = new Strangers(addresses.hasher());
        this.timing = new Timing(addresses, settings.seed(), settings.rounds());
    }

    /** Returns the shapes for n addresses, without the kinds that cannot have the size. */
    static Map<FilterKind, FilterShape> shapes(FilterSize size, long n) {
        Map<FilterKind, FilterShape> shapes = new EnumMap<>(FilterKind.class);
        for (FilterKind kind : FilterKind.values()) {
            if (whyNot(kind, size, n).isEmpty()) {
                shapes.put(kind, size.shape(kind, n));
            }
        }
        return shapes;
    }

    /** Returns why a kind cannot have the size and is left out; empty if it can. */
    public static Optional<String> whyNot(FilterKind kind, FilterSize size, long n) {
        try {
            size.shape(kind, n);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Measures the sets of all addresses. Returns a row for each kind that can have the size, then
     * one for {@code HashSet} and one for the sorted array.
     */
    public List<Row> table() throws IOException {
        warmUp();
        return measure(addresses.count(), true);
    }

    /**
     * Measures sets of the first 1000 addresses, of the first 10,000, and so on, but not of all.
     * The rows have no {@link Row#more}.
     */
    public List<Row> overAddresses() throws IOException {
        warmUp();
        List<Row> rows = new ArrayList<>();
        for (long n = LEAST_ADDRESSES; n < addresses.count(); n *= 10) {
            rows.addAll(measure((int) n, false));
        }
        return rows;
    }

    /** Measures rates at several bits per address, with at most the first 100,000 addresses. */
    public List<RatePoint> rates() throws IOException {
        int n = pointAddresses();
        List<RatePoint> points = new ArrayList<>();
        Map<FilterKind, FilterShape> last = new EnumMap<>(FilterKind.class);
        for (int bits = LEAST_BITS; bits <= MOST_BITS; bits++) {
            settings.progress().accept("rates at " + bits + " bits per address");
            List<Filter> filters = new ArrayList<>();
            for (FilterShape shape : shapes(FilterSize.ofBitsPerKey(bits), n).values()) {
                if (shape.equals(last.put(shape.kind(), shape))) {
                    continue;
                }
                Filter filter = builder.filter(shape, n);
                // A filter that had to grow no longer has the size that its rate is drawn at.
                if (filter.shape().equals(shape)) {
                    filters.add(filter);
                }
            }
            List<Rate> measured =
                    Rate.of(filters, strangers, n, LEAST_POINT_STRANGERS, MOST_POINT_STRANGERS);
            for (int i = 0; i < filters.size(); i++) {
                points.add(point(filters.get(i).shape(), n, measured.get(i)));
            }
        }
        return points;
    }

    /** Returns the rates that the formulas give, in smaller steps than {@link #rates}. */
    public List<RatePoint> predictedRates() {
        int n = pointAddresses();
        List<RatePoint> points = new ArrayList<>();
        Map<FilterKind, FilterShape> last = new EnumMap<>(FilterKind.class);
        for (double bits = LEAST_BITS; bits <= MOST_BITS; bits += LINE_STEP) {
            for (FilterShape shape : shapes(FilterSize.ofBitsPerKey(bits), n).values()) {
                if (!shape.equals(last.put(shape.kind(), shape))) {
                    points.add(point(shape, n, null));
                }
            }
        }
        return points;
    }

    private int pointAddresses() {
        return Math.min(POINT_ADDRESSES, addresses.count());
    }

    private static RatePoint point(FilterShape shape, int n, @Nullable Rate rate) {
        return new RatePoint(shape.kind().label(), (double) shape.m() / n, shape.rate(n), rate);
    }

    private List<Rate> rates(List<Filter> filters, long n) {
        return Rate.of(filters, strangers, n, LEAST_STRANGERS, MOST_STRANGERS);
    }

    /**
     * Queries all kinds before anything is measured. So the querying code is compiled for all of
     * them, and none has an advantage.
     */
    private void warmUp() throws IOException {
        if (!warm) {
            settings.progress().accept("warming up");
            int n = Math.min(WARM_UP_ADDRESSES, addresses.count());
            List<Built> built = build(n);
            for (int i = 1; i < WARM_UP_BUILDS; i++) {
                built = build(n);
            }
            timing.warmUp(candidates(built), n);
            warm = true;
        }
    }

    private List<Built> build(int n) throws IOException {
        List<Built> built = new ArrayList<>();
        for (FilterShape shape : shapes(settings.size(), n).values()) {
            settings.progress().accept(n + " addresses: building " + shape.kind().label());
            built.add(builder.timedFilter(shape, n));
        }
        String[] texts = addresses.texts();
        if (texts != null) {
            settings.progress().accept(n + " addresses: building the contrasts");
            built.add(builder.hashSet(texts, n));
            built.add(builder.sortedArray(texts, n));
        }
        return built;
    }

    private static List<Candidate> candidates(List<Built> built) {
        return built.stream().map(Built::candidate).toList();
    }

    private List<Row> measure(int n, boolean whole) throws IOException {
        List<Built> built = build(n);
        List<Candidate> candidates = candidates(built);
        settings.progress().accept(n + " addresses: asking");
        List<Times> asked = timing.ask(candidates, n);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            Candidate candidate = candidates.get(i);
            FilterShape shape = candidate instanceof FilterCandidate filter ? filter.shape() : null;
            rows.add(
                    new Row(
                            candidate.name(),
                            n,
                            candidate.bytes(),
                            shape == null ? 0 : shape.k(),
                            shape == null ? 0 : shape.rate(n),
                            built.get(i).nanos(),
                            asked.get(i).first(),
                            asked.get(i).second(),
                            null));
        }
        return whole ? withMore(rows, candidates, n) : rows;
    }

    /** Adds what is measured of all addresses only. What changes the sets comes last. */
    private List<Row> withMore(List<Row> rows, List<Candidate> candidates, int n) {
        settings.progress().accept(n + " addresses: measuring rates");
        List<Filter> filters = new ArrayList<>();
        for (Candidate candidate : candidates) {
            if (candidate instanceof FilterCandidate filter) {
                filters.add(filter.filter());
            }
        }
        List<Rate> rates = rates(filters, n);
        settings.progress().accept(n + " addresses: adding and removing");
        List<Times> updates = timing.update(candidates, n);
        List<Row> whole = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            boolean filter = i < filters.size();
            whole.add(
                    rows.get(i)
                            .with(
                                    new More(
                                            filter ? rates.get(i) : null,
                                            updates.get(i).first(),
                                            updates.get(i).second(),
                                            filter ? growth(filters.get(i), n) : null)));
        }
        return whole;
    }

    private @Nullable Growth growth(Filter filter, int n) {
        FilterKind kind = filter.shape().kind();
        if (!kind.grows()) {
            return null;
        }
        settings.progress().accept(n + " addresses: giving " + kind.label() + " as many again");
        Filter grown = builder.grown(settings.size().shape(kind, n), n);
        long twice = 2L * n;
        return new Growth(
                grown.shape().bytes(),
                grown.shape().rate(twice),
                rates(List.of(grown), twice).getFirst());
    }
}
