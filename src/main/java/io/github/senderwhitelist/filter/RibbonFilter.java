package io.github.senderwhitelist.filter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A static filter that answers from one cache line, or for a tenth of the keys from a second one. A
 * key's hash chooses a line of 512 bits, which yields the key's fingerprint of k bits; see {@link
 * RibbonLine}. For a stranger it yields random bits. So the rate is 2^−k, at little more than k
 * bits per key.
 *
 * <p>Sources: P. C. Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and xor"
 * (2021), for equations and their elimination on the fly; P. C. Dillinger, L. Hübschle-Schneider,
 * P. Sanders, S. Walzer, "Fast succinct retrieval and approximate membership using ribbon" (2022),
 * for bumping.
 *
 * <p>Lines of two neighbouring k may be mixed, so that any number of bits per key can be met: keys
 * with the lowest hashes are in lines of the greater k. The number of rows of the shape is one more
 * than their 256ths.
 *
 * <p>Keys that do not fit into their line are kept in the next, smaller level. Keys that do not fit
 * into the last level need not be kept, because it answers true for what it does not hold. The hash
 * of a key for the next level also gives its equation.
 *
 * <p>Serial form: the lines of the first level, then those of the next ones; in each level those of
 * the greater k first.
 */
final class RibbonFilter implements Filter {
    private static final int LEVELS = 16;

    /** The parts that the hashes are divided into to mix two kinds of lines. */
    private static final int SHARES = 256;

    /** With fewer keys, lines are not mixed. */
    private static final long LEAST_MIXED = 10_000;

    /** With fewer lines, a level has one kind of lines, that of the greater k. */
    private static final long LEAST_MIXED_LINES = 8;

    /** An arbitrary odd number; it is part of the snapshot format. */
    private static final long MULTIPLIER = 0xd1342543de82ef95L;

    /** The number of queries that are answered together. */
    private static final int AT_ONCE = 256;

    private final FilterShape shape;
    private final long[] words;
    private final Level[] levels;
    private final Level first;
    private final Level second;

    /** The memory of the next call with many queries, unless another thread has it. */
    private final AtomicReference<@Nullable Questions> spare = new AtomicReference<>();

    /**
     * Always 0, which the compiler does not know. So it cannot leave out a read whose result is
     * only combined with it.
     */
    private long zero;

    RibbonFilter(FilterShape shape) {
        this.shape = shape;
        this.words = Words.allocate(shape.m());
        this.levels = levels(shape);
        this.first = levels[0];
        this.second = levels[Math.min(1, levels.length - 1)];
    }

    static Level[] levels(FilterShape shape) {
        return new Mix(shape).levels(shape.m() / FilterShape.STEP);
    }

    /** The lines of a level. */
    record Level(
            RibbonLine less,
            RibbonLine more,
            int lessAt,
            int moreAt,
            long lessCount,
            long moreCount,
            long bound) {

        /** Returns whether a key belongs to the lines of the greater k. */
        boolean hasMore(long hash) {
            return hash >>> 2 < bound;
        }

        /** Returns the kind of the line that begins with a word. */
        RibbonLine kind(int word) {
            return word < lessAt ? more : less;
        }

        /** Returns the first word of the line that a key belongs to; it rises with the hash. */
        int word(long hash) {
            boolean in = hasMore(hash);
            long from = in ? hash : hash - (bound << 2);
            int line = (int) Math.unsignedMultiplyHigh(from, in ? moreCount : lessCount);
            return line * RibbonLine.WORDS + (in ? moreAt : lessAt);
        }
    }

    /**
     * Two kinds of lines, side by side.
     *
     * @param share the share of the keys that is in lines of the greater k
     */
    private record Mix(RibbonLine less, RibbonLine more, int share) {
        Mix(FilterShape shape) {
            this(kind(shape.k()), shape.rows() - 1);
        }

        Mix(int kind, int share) {
            this(
                    RibbonLine.ALL.get(kind),
                    RibbonLine.ALL.get(Math.min(kind + 1, RibbonLine.ALL.size() - 1)),
                    share);
        }

        /** Returns the number of the kind of lines with that k, or −1. */
        static int kind(int k) {
            return RibbonLine.ALL.stream().map(RibbonLine::k).toList().indexOf(k);
        }

        double rate() {
            double part = (double) share / SHARES;
            return Math.pow(2, -less.k()) * (1 - part) + Math.pow(2, -more.k()) * part;
        }

        /** Returns the lines of the first level for a key, those of the greater k. */
        private double moreLines() {
            return (double) share / SHARES / more.keys();
        }

        private double lessLines() {
            return (double) (SHARES - share) / SHARES / less.keys();
        }

        private double passed() {
            return (more.passed() * share + less.passed() * (SHARES - share)) / SHARES;
        }

        double bits(double n) {
            if (n <= 0.75 * less.columns() - 0.5 * less.k()) {
                return FilterShape.STEP;
            }
            double lines = n * (moreLines() + lessLines()) / (1 - lower(0));
            return FilterShape.STEP * Math.ceil(lines + Math.min(8, lines / 6 + 1));
        }

        /**
         * Returns the share of the lines that is below a level. It has a reserve, because a level
         * that is given one percent more keys passes on five percent more.
         */
        private double lower(int level) {
            return passed() * (level == 0 ? 1.01 : 1.15);
        }

        /**
         * Divides lines among the levels. Each gets those that the level before passes on to it.
         */
        Level[] levels(long all) {
            List<Level> levels = new ArrayList<>();
            long left = all;
            while (left > 0) {
                boolean last = levels.size() == LEVELS - 1 || left == 1;
                long lower =
                        last
                                ? 0
                                : Math.max(
                                        1, Math.round(lower(levels.size()) * left + spare(left)));
                levels.add(level(all - left, left - lower));
                left = lower;
            }
            return levels.toArray(Level[]::new);
        }

        /** Returns lines for the case that more keys than planned are passed on. */
        private static double spare(long lines) {
            return Math.min(2.5, lines / 10.0);
        }

        /** Divides the lines of a level among the kinds. A level of a few lines has one kind. */
        private Level level(long at, long lines) {
            int shares = share > 0 && lines < LEAST_MIXED_LINES ? SHARES : share;
            double part = moreLines() / (moreLines() + lessLines());
            long greater =
                    shares % SHARES == 0 ? lines * shares / SHARES : Math.round(part * lines);
            if (shares % SHARES != 0) {
                greater = Math.clamp(greater, 1, lines - 1);
            }
            return new Level(
                    less,
                    more,
                    Words.FIRST + (int) (at + greater) * RibbonLine.WORDS,
                    Words.FIRST + (int) at * RibbonLine.WORDS,
                    (lines - greater) * SHARES / Math.max(1, SHARES - shares),
                    greater * SHARES / Math.max(1, shares),
                    (long) shares << 54);
        }
    }

    /**
     * Takes the mix with the fewest bits that keeps the rate, or with the most that are allowed.
     */
    static final class Design implements FilterDesign {
        /** Mixes are numbered by their bits: those of the first two kinds, of the next two, …. */
        private static final int LAST = (RibbonLine.ALL.size() - 1) * SHARES;

        @Override
        public FilterShape plan(FilterSize size, long n) {
            int step = n < LEAST_MIXED ? SHARES : 1;
            double keys = (double) Math.max(n, LEAST_MIXED);
            int mix = 0;
            if (size.byRate()) {
                while (mix < LAST && mix(mix).rate() > size.value() * (1 + 1e-9)) {
                    mix += step;
                }
            } else {
                while (mix < LAST && mix(mix + step).bits(keys) <= size.value() * keys) {
                    mix += step;
                }
            }
            return new FilterShape(
                    FilterKind.RIBBON,
                    FilterShape.roundUp(mix(mix).bits((double) n)),
                    mix(mix).less.k(),
                    mix(mix).share + 1);
        }

        private static Mix mix(int number) {
            return new Mix(number / SHARES, number % SHARES);
        }

        @Override
        public double rate(double n, FilterShape shape) {
            return new Mix(shape).rate();
        }

        @Override
        public Filter create(FilterShape shape) {
            return new RibbonFilter(shape);
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            int kind = Mix.kind(k);
            boolean last = kind == RibbonLine.ALL.size() - 1;
            return kind >= 0 && rows <= (last ? 1 : SHARES)
                    ? ""
                    : "k of 7, 8, 9, 10, 12, 15, 21 with 1 to " + SHARES + " rows, or 31 with one";
        }
    }

    /**
     * Builds a filter.
     *
     * @param hashes the hashes of all keys
     * @param more makes room for hashes that have to be kept aside
     */
    static Filter build(FilterShape shape, SortedHashes hashes, Supplier<SortedHashes> more)
            throws IOException {
        RibbonFilter filter = new RibbonFilter(shape);
        filter.solve(hashes, more);
        return filter;
    }

    /** Returns the hash of a key for the next level, which also gives its equation. */
    static long next(long hash) {
        long mixed = hash * MULTIPLIER;
        return mixed ^ (mixed >>> 32);
    }

    @Override
    public boolean mightContain(long hash) {
        int line = first.word(hash);
        long next = next(hash);
        // One in ten keys needs its second line. All read it, so that both are fetched at once.
        long touched = words[second.word(next)] & zero;
        long other = RibbonLine.second(hash);
        RibbonLine kind = first.kind(line);
        if (kind.passes(words, line, other) < 0) {
            return inLowerLevels(next);
        }
        return (kind.difference(words, line, next, other) | touched) == 0;
    }

    /** Returns whether the levels below the first one may contain a hash. */
    private boolean inLowerLevels(long hash) {
        long at = hash;
        for (int level = 1; level < levels.length; level++) {
            int line = levels[level].word(at);
            RibbonLine kind = levels[level].kind(line);
            long other = RibbonLine.second(at);
            long next = next(at);
            if (kind.passes(words, line, other) >= 0) {
                return kind.difference(words, line, next, other) == 0;
            }
            at = next;
        }
        return true;
    }

    @Override
    public void mightContain(long[] hashes, int count, boolean[] answers) {
        // New memory for each call would cost a quarter of its time.
        Questions taken = spare.getAndSet(null);
        Questions questions = taken == null ? new Questions() : taken;
        for (int from = 0; from < count; from += AT_ONCE) {
            questions.ask(hashes, from, Math.min(count - from, AT_ONCE), answers);
        }
        spare.set(questions);
    }

    /** Queries that are answered together: those whose keys were passed on to a level. */
    private final class Questions {
        /** The hashes for the level. */
        private final long[] hashes = new long[AT_ONCE];

        /** The numbers of the queries. */
        private final int[] numbers = new int[AT_ONCE];

        /** Where their lines begin. */
        private final int[] lines = new int[AT_ONCE];

        private int count;

        void ask(long[] from, int first, int some, boolean[] answers) {
            for (int i = 0; i < some; i++) {
                hashes[i] = from[first + i];
                numbers[i] = first + i;
            }
            count = some;
            for (int level = 0; level < levels.length && count > 0; level++) {
                ask(levels[level], answers);
            }
            for (int i = 0; i < count; i++) {
                answers[numbers[i]] = true;
            }
        }

        private void ask(Level level, boolean[] answers) {
            for (int i = 0; i < count; i++) {
                lines[i] = level.word(hashes[i]);
            }
            // As short as can be, so that the processor fetches as many lines at a time as it can.
            long touched = 0;
            for (int i = 0; i < count; i++) {
                touched |= words[lines[i]];
            }
            int passed = (int) (touched & zero);
            for (int i = 0; i < count; i++) {
                int line = lines[i];
                RibbonLine kind = level.kind(line);
                long other = RibbonLine.second(hashes[i]);
                long next = next(hashes[i]);
                int number = numbers[i];
                answers[number] = kind.difference(words, line, next, other) == 0;
                hashes[passed] = next;
                numbers[passed] = number;
                passed += (int) (kind.passes(words, line, other) >>> (Long.SIZE - 1));
            }
            count = passed;
        }
    }

    @Override
    public FilterShape shape() {
        return shape;
    }

    @Override
    public void write(long first, LongBuffer into) {
        Words.write(words, first, into);
    }

    @Override
    public void read(long first, LongBuffer from) {
        Words.read(words, first, from);
    }

    /** Solves level by level, each with the hashes that did not fit into the one before. */
    private void solve(SortedHashes hashes, Supplier<SortedHashes> more) throws IOException {
        SortedHashes left = hashes;
        try {
            for (Level level : levels) {
                try (SortedHashes these = left) {
                    left = more.get();
                    RibbonBuilder builder = new RibbonBuilder(words, level, left);
                    these.forEach(builder::add);
                    builder.finish();
                }
            }
        } finally {
            left.close();
        }
    }
}
