package io.github.senderwhitelist.filter;

/**
 * A filter built of all its keys at once, which answers from one cache line, or for a tenth of the
 * keys from a second one. It never denies a key that it was built of, and takes a stranger for one
 * with a rate of 2^−k at little more than k bits per key: 0.5 % at 8 bits. A key's hash chooses a
 * line of 512 bits, which yields the key's fingerprint of k bits; see {@link RibbonLine}.
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
final class RibbonFilter extends Filter {
    /** An arbitrary odd number; it is part of the snapshot format. */
    private static final long MULTIPLIER = 0xd1342543de82ef95L;

    final RibbonMix.Level[] levels;

    private final RibbonMix.Level first;
    private final RibbonMix.Level second;

    /** Always 0, which the compiler does not know, so that it leaves out no read. */
    private long zero;

    RibbonFilter(FilterShape shape) {
        super(shape);
        this.levels = new RibbonMix(shape).levels(shape.m() / FilterShape.STEP);
        this.first = levels[0];
        this.second = levels[Math.min(1, levels.length - 1)];
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
}
