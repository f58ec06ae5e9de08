package io.github.senderwhitelist.filter;

import java.util.ArrayList;
import java.util.List;

/**
 * The plan of a {@link RibbonFilter} of two kinds of lines side by side, of neighbouring k.
 *
 * @param share the share of the keys that is in lines of the greater k, in 256ths
 */
record RibbonMix(RibbonLine less, RibbonLine more, int share) {
    private static final int MAX_LEVELS = 16;

    /** The parts that the hashes are divided into to mix two kinds of lines. */
    private static final int SHARES = 256;

    /** With fewer keys, lines are not mixed. */
    private static final long MIN_MIXED = 10_000;

    /** With fewer lines, a level has one kind of lines, that of the greater k. */
    private static final long MIN_MIXED_LINES = 8;

    static final String ALLOWED =
            "k of 7, 8, 9, 10, 12, 15, 21 with 1 to " + SHARES + " rows, or 31 with one";

    private static final int LAST = RibbonLine.ALL.size() - 1;

    RibbonMix(FilterShape shape) {
        this(kind(shape.k()) * SHARES + shape.rows() - 1);
    }

    /** Mixes are numbered by their bits: first those of the first two kinds. */
    private RibbonMix(int number) {
        this(
                RibbonLine.ALL.get(number / SHARES),
                RibbonLine.ALL.get(Math.min(number / SHARES + 1, LAST)),
                number % SHARES);
    }

    /**
     * Returns the shape for n keys: of the mix with the fewest bits that keeps the rate, or with
     * the most that are allowed.
     */
    static FilterShape plan(FilterSize size, long n) {
        int step = n < MIN_MIXED ? SHARES : 1;
        double keys = (double) Math.max(n, MIN_MIXED);
        int number = 0;
        while (number < LAST * SHARES
                && (size.byRate()
                        ? new RibbonMix(number).rate() > size.value() * (1 + 1e-9)
                        : new RibbonMix(number + step).bits(keys) <= size.value() * keys)) {
            number += step;
        }
        RibbonMix mix = new RibbonMix(number);
        return new FilterShape(
                FilterKind.RIBBON,
                FilterShape.roundUp(mix.bits((double) n)),
                mix.less.k,
                mix.share + 1);
    }

    /** Returns whether there are lines of that k, which can be mixed with the next in that way. */
    static boolean exists(int k, int rows) {
        int kind = kind(k);
        return kind >= 0 && rows >= 1 && rows <= (kind == LAST ? 1 : SHARES);
    }

    /** Returns the number of the kind of lines with that k, or −1. */
    private static int kind(int k) {
        return RibbonLine.ALL.stream().map(line -> line.k).toList().indexOf(k);
    }

    /** Returns the rate, whatever the number of keys. */
    double rate() {
        double part = (double) share / SHARES;
        return Math.pow(2, -less.k) * (1 - part) + Math.pow(2, -more.k) * part;
    }

    /** Returns the lines of the first level for a key, those of the greater k. */
    private double moreLines() {
        return (double) share / SHARES / more.keys;
    }

    private double lessLines() {
        return (double) (SHARES - share) / SHARES / less.keys;
    }

    private double bits(double n) {
        if (n <= 0.75 * less.size - 0.5 * less.k) {
            return FilterShape.STEP;
        }
        double lines = n * (moreLines() + lessLines()) / (1 - lower(0));
        return FilterShape.STEP * Math.ceil(lines + Math.min(8, lines / 6 + 1));
    }

    /**
     * Returns the share of the lines that is below a level. It has a reserve, because a level that
     * is given one percent more keys passes on five percent more.
     */
    private double lower(int level) {
        double passed = (more.passed * share + less.passed * (SHARES - share)) / SHARES;
        return passed * (level == 0 ? 1.01 : 1.15);
    }

    /** Divides lines among the levels. Each gets those that the level before passes on to it. */
    Level[] levels(long all) {
        List<Level> levels = new ArrayList<>();
        long left = all;
        while (left > 0) {
            boolean last = levels.size() == MAX_LEVELS - 1 || left == 1;
            // In case that more keys than planned are passed on.
            double spare = Math.min(2.5, left / 10.0);
            double lines = lower(levels.size()) * left + spare;
            long lower = last ? 0 : Math.max(1, Math.round(lines));
            levels.add(level(all - left, left - lower));
            left = lower;
        }
        return levels.toArray(Level[]::new);
    }

    /** Divides the lines of a level among the kinds. A level of a few lines has one kind. */
    private Level level(long at, long lines) {
        int shares = share > 0 && lines < MIN_MIXED_LINES ? SHARES : share;
        double part = moreLines() / (moreLines() + lessLines());
        long greater =
                shares % SHARES == 0
                        ? lines * shares / SHARES
                        : Math.clamp(Math.round(part * lines), 1, lines - 1);
        return new Level(
                less,
                more,
                Filter.FIRST + (int) (at + greater) * RibbonLine.WORDS,
                Filter.FIRST + (int) at * RibbonLine.WORDS,
                (lines - greater) * SHARES / Math.max(1, SHARES - shares),
                greater * SHARES / Math.max(1, shares),
                (long) shares << 54);
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

        /** Returns the kind of the line that begins with a word. */
        RibbonLine kind(int word) {
            return word < lessAt ? more : less;
        }

        /** Returns the first word of the line that a key belongs to; it rises with the hash. */
        int word(long hash) {
            boolean in = hash >>> 2 < bound;
            long from = in ? hash : hash - (bound << 2);
            int line = (int) Math.unsignedMultiplyHigh(from, in ? moreCount : lessCount);
            return line * RibbonLine.WORDS + (in ? moreAt : lessAt);
        }
    }
}
