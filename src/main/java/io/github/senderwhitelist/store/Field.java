package io.github.senderwhitelist.store;

/** The fields of an entry in a block, each with a prefix code of its own. */
enum Field {
    /**
     * A symbol of the head of a sort key, given the one before. Its codes have the order of the
     * symbols; see {@link Head}.
     */
    HEAD(Symbols.COUNT, Symbols.COUNT, Symbols.END),
    /** The bytes shared with the sender before, given those that that shared. */
    SENDER_SHARED(Field.SHARED_CONTEXTS, Field.SHARED_SYMBOLS, Field.ESCAPE),
    /**
     * The first character that differs, given the one in its place before: the symbol below it if
     * that was no symbol, the end if the one before had ended.
     */
    SENDER_FIRST(Symbols.COUNT, Symbols.COUNT, Symbols.END),
    /**
     * A character, given the one before, the class of that before it, and its position in the local
     * part, which begins with 0; see {@link #nextContext}.
     */
    SENDER_NEXT(Field.NEXT_CONTEXTS, Symbols.COUNT, Symbols.END),
    /** The bucket of the rank of the domain. */
    SENDER_DOMAIN(1, Field.BUCKETS, Field.AS_BYTES),
    /** As for the sender, given the recipients before. */
    RECIPIENTS_SHARED(Field.SHARED_CONTEXTS, Field.SHARED_SYMBOLS, Field.ESCAPE),
    /** As for the sender. */
    RECIPIENTS_FIRST(Symbols.COUNT, Symbols.COUNT, Symbols.END),
    /** As for the sender. */
    RECIPIENTS_NEXT(Field.NEXT_CONTEXTS, Symbols.COUNT, Symbols.END),
    /** As for the sender. */
    RECIPIENTS_DOMAIN(1, Field.BUCKETS, Field.AS_BYTES),
    /** A character of a domain that has no rank, as of a local part. */
    DOMAIN_NEXT(Field.NEXT_CONTEXTS, Symbols.COUNT, Symbols.END),
    /** The kind of the entry, given where it stands. */
    KIND(3, 4, 0),
    /** Which of the common rules it has, in context 0 for all recipients, in 1 for some. */
    RULES(2, Field.COMMON_RULES + 1, 0);

    /** The most bytes shared that have a symbol. */
    static final int MOST_SHARED = 61;

    /** The symbol of {@code …_SHARED} that says that the local part is written as bytes. */
    static final int ESCAPE = MOST_SHARED + 1;

    static final int SHARED_SYMBOLS = ESCAPE + 1;

    /** The context of a fresh local part, which shares nothing. */
    static final int FRESH = MOST_SHARED + 1;

    /** The context of a local part after one that is fresh or shares more than has a symbol. */
    static final int AFTER_FRESH = FRESH + 1;

    static final int SHARED_CONTEXTS = AFTER_FRESH + 1;

    private static final int POSITIONS = 16;
    private static final int SYMBOLS = 64;
    static final int NEXT_CONTEXTS = SYMBOLS * Symbols.CLASSES * POSITIONS;

    /** Ranks below this have a bucket each; above there are two buckets for each power of 2. */
    private static final int SINGLE_RANKS = 8;

    private static final int SINGLE_BITS = 3;

    /** The symbol of {@code …_DOMAIN} that says that the domain has no rank. */
    static final int NO_RANK = SINGLE_RANKS + 2 * (Integer.SIZE - 1 - SINGLE_BITS);

    /** The symbol of {@code …_DOMAIN} that says that the domain is written as bytes. */
    static final int AS_BYTES = NO_RANK + 1;

    static final int BUCKETS = AS_BYTES + 1;

    /** How many encodings of rules have a symbol; one more says that they are spelled out. */
    static final int COMMON_RULES = 62;

    /** The contexts of {@link #KIND}: at a restart, after a sender with kinds, after recipients. */
    static final int AT_RESTART = 0;

    static final int AFTER_KINDS = 1;
    static final int AFTER_RECIPIENTS = 2;

    final int contexts;
    final int symbols;

    /** A symbol that has a code in every context. */
    final int always;

    Field(int contexts, int symbols, int always) {
        this.contexts = contexts;
        this.symbols = symbols;
        this.always = always;
    }

    /** Returns whether its codes have the order of its symbols. */
    boolean inOrder() {
        return this == HEAD;
    }

    /** Returns the place of the field in arrays, which are found faster than by a map. */
    @SuppressWarnings("EnumOrdinal") // never stored
    int number() {
        return ordinal();
    }

    /** Returns the context of the character at {@code position}, after these symbols. */
    static int nextContext(int before, int classBefore, int position) {
        return (classBefore * POSITIONS + Math.min(position, POSITIONS - 1)) * SYMBOLS + before;
    }

    /** Returns the table in which a context is at first. */
    int group(int context) {
        return contexts == NEXT_CONTEXTS ? context % SYMBOLS : context;
    }

    /** Returns the bucket of a rank. */
    static int bucket(int rank) {
        if (rank < SINGLE_RANKS) {
            return rank;
        }
        int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(rank);
        return SINGLE_RANKS + 2 * (log - SINGLE_BITS) + (rank >>> (log - 1) & 1);
    }

    /** Returns the number of bits of a rank within its bucket. */
    static int bucketBits(int bucket) {
        return bucket < SINGLE_RANKS ? 0 : SINGLE_BITS - 1 + ((bucket - SINGLE_RANKS) >>> 1);
    }

    /** Returns the lowest rank of a bucket. */
    static int bucketStart(int bucket) {
        return bucket < SINGLE_RANKS
                ? bucket
                : (2 | (bucket - SINGLE_RANKS & 1)) << bucketBits(bucket);
    }
}
