package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.Mix;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Generates addresses as people and companies have them, of names of many countries. About half are
 * at providers of free mail, the others at 2^18 domains of companies by Zipf's law. There are
 * {@code first.last}, {@code firstlast84}, {@code flast}, {@code first_l}, {@code f.m.last}, roles
 * such as {@code info}, {@code noreply} and a few nicknames, double names and tags.
 *
 * <p>Any first part of the numbers gives a list as it would be of that size: common names come
 * early, and where a name is taken, numbers are put behind it. Each domain counts its addresses,
 * each form of a local part its uses at this domain, and each name its bearers, so different
 * numbers give different addresses; what looks random is a permutation.
 *
 * <p>Run with {@code COUNT [FIRST [SEED]]} it writes one address a line, in no order.
 */
public final class HumanAddressGenerator extends NumberedAddresses {
    private static final String[] PROVIDERS = {
        "gmail.com",
        "yahoo.com",
        "hotmail.com",
        "outlook.com",
        "icloud.com",
        "gmx.de",
        "aol.com",
        "web.de",
        "live.com",
        "t-online.de",
        "hotmail.co.uk",
        "yahoo.co.uk",
        "msn.com",
        "comcast.net",
        "mail.ru",
        "qq.com",
        "gmx.net",
        "orange.fr",
        "wanadoo.fr",
        "free.fr",
        "yandex.ru",
        "libero.it",
        "163.com",
        "proton.me",
        "naver.com"
    };

    /** Of each 267 addresses so many are at that provider; the last number is of the companies. */
    private static final Shares DOMAINS =
            new Shares(
                    56, 14, 13, 9, 5, 5, 4, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1,
                    130);

    private static final int COMPANIES_BITS = 18;

    private enum Form {
        FIRST_DOT_LAST,
        FIRST_LAST,
        FIRST_UNDERSCORE_LAST,
        INITIAL_LAST,
        INITIAL_DOT_LAST,
        LAST_DOT_INITIAL,
        FIRST,
        FIRST_DOT_YEAR,
        INITIALS_LAST,
        FIRST_UNDERSCORE_INITIAL,
        DOUBLE_FIRST_DOT_LAST,
        TAGGED,
        NICKNAME,
        ROLE,
        ROBOT,
        BOUNCE
    }

    private static final Form[] FORMS = Form.values();

    /** Initials and surnames run together only at companies, first names and surnames not there. */
    private static final Shares AT_PROVIDERS =
            new Shares(16, 21, 4, 0, 3, 2, 0, 1, 2, 3, 2, 1, 9, 0, 0, 0);

    private static final Shares AT_COMPANIES =
            new Shares(24, 0, 2, 10, 5, 1, 5, 0, 1, 1, 1, 1, 0, 8, 4, 1);

    private static final byte[] INITIALS =
            "jamsrcdlkbpegtnhfviwyozuxq".getBytes(StandardCharsets.US_ASCII);

    private final long seed;
    private final byte[][] companies;
    private final byte[][] firsts;

    /** Tells the first names that begin with no other one. */
    private final boolean[] alone;

    private final byte[][] surnames;
    private final byte[][] words;
    private final byte[][] roles = bytes(Names.ROLES);
    private final byte[][] robots = bytes(Names.ROBOTS);
    private final byte[][] providers = bytes(List.of(PROVIDERS));

    private final ZipfRanks companyRanks = new ZipfRanks(6, COMPANIES_BITS);
    private final ZipfRanks firstRanks = new ZipfRanks(4, Names.FIRSTS_BITS);
    private final ZipfRanks surnameRanks = new ZipfRanks(5, Names.SURNAMES_BITS);
    private final ZipfRanks roleRanks = new ZipfRanks(0, 6);
    private final ZipfRanks robotRanks = new ZipfRanks(0, 3);

    /** Makes a generator. Another seed gives other addresses of the same kind. */
    public HumanAddressGenerator(long seed) {
        this.seed = Mix.of(seed);
        Names names = Names.read(seed);
        companies = CompanyDomains.of(names, 1 << COMPANIES_BITS, seed);
        firsts = bytes(names.firsts());
        alone = alone(names.firsts());
        surnames = bytes(names.surnames());
        words = bytes(names.words());
    }

    private static byte[][] bytes(List<String> words) {
        return words.stream()
                .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
    }

    private static boolean[] alone(List<String> names) {
        Set<String> all = new HashSet<>(names);
        boolean[] alone = new boolean[names.size()];
        for (int i = 0; i < alone.length; i++) {
            alone[i] = true;
            for (int end = 1; end < names.get(i).length(); end++) {
                alone[i] &= !all.contains(names.get(i).substring(0, end));
            }
        }
        return alone;
    }

    @Override
    public void fill(long i) {
        length = 0;
        int place = DOMAINS.choice(i, seed);
        long count = DOMAINS.count(i, seed);
        byte[] domain;
        Shares forms;
        if (place < providers.length) {
            domain = providers[place];
            forms = AT_PROVIDERS;
        } else {
            companyRanks.deal(count, seed);
            count = companyRanks.count();
            place += companyRanks.rank();
            domain = companies[companyRanks.rank()];
            forms = AT_COMPANIES;
        }
        long salt = Mix.of(seed + place);
        int form = forms.choice(count, salt);
        putLocal(FORMS[form], forms.count(count, salt), Mix.of(salt + form), place);
        put('@');
        put(domain);
    }

    private void putLocal(Form form, long count, long salt, int place) {
        switch (form) {
            case FIRST_DOT_LAST, FIRST_LAST, FIRST_UNDERSCORE_LAST, DOUBLE_FIRST_DOT_LAST, TAGGED ->
                    putWholeName(form, count, salt, place);
            case INITIAL_LAST, INITIAL_DOT_LAST, LAST_DOT_INITIAL, INITIALS_LAST ->
                    putSurname(form, count, salt);
            case FIRST, FIRST_DOT_YEAR, FIRST_UNDERSCORE_INITIAL -> putFirst(form, count, salt);
            case NICKNAME -> {
                long pairs = (long) words.length * words.length;
                long scattered = (count % pairs * 100_003 + (salt >>> 40)) % pairs;
                put(words[(int) (scattered / words.length)]);
                put('_');
                put(words[(int) (scattered % words.length)]);
                putNumber(count / pairs, Mix.of(scattered));
            }
            case ROLE -> putOffice(roles, roleRanks, count, salt, '.');
            case ROBOT -> putOffice(robots, robotRanks, count, salt, '-');
            case BOUNCE -> {
                put("bounces+");
                putDigits(100_000 + 7_919 * count + Math.floorMod(Mix.of(salt + count), 7_919));
            }
        }
    }

    private void putWholeName(Form form, long count, long salt, int place) {
        firstRanks.deal(count, salt);
        int first = firstRanks.rank();
        surnameRanks.deal(firstRanks.count(), Mix.of(salt + first));
        int last = surnameRanks.rank();
        long bearer = surnameRanks.count();
        long both = Mix.of(salt + (long) first * surnames.length + last);
        put(firsts[first]);
        switch (form) {
            case FIRST_UNDERSCORE_LAST -> put('_');
            case DOUBLE_FIRST_DOT_LAST -> {
                put('-');
                put(firsts[(int) (both & 63)]);
                put('.');
            }
            // Without a sign between them, "jo" and "nash" would be "jon" and "ash".
            case FIRST_LAST -> put(alone[first] ? "" : "-");
            default -> put('.');
        }
        put(surnames[last]);
        // At a provider a name is often taken by someone who is not on the list.
        boolean taken = place < providers.length && (both & 1) == 0;
        putNumber(taken ? bearer + 1 : bearer, both);
        if (form == Form.TAGGED) {
            put('+');
            put(words[(int) (both >>> 8 & 63)]);
        }
    }

    private void putSurname(Form form, long count, long salt) {
        surnameRanks.deal(count, salt);
        int last = surnameRanks.rank();
        long bearer = surnameRanks.count();
        long own = Mix.of(salt + last);
        int initial = initial(bearer, own);
        long rest = bearer / INITIALS.length;
        int second = 0;
        if (form == Form.INITIALS_LAST) {
            second = initial(rest, Mix.of(own + initial));
            rest /= INITIALS.length;
        }
        if (form != Form.LAST_DOT_INITIAL) {
            put((char) INITIALS[initial]);
        }
        if (form == Form.INITIALS_LAST) {
            put('.');
            put((char) INITIALS[second]);
        }
        if (form == Form.INITIAL_DOT_LAST || form == Form.INITIALS_LAST) {
            put('.');
        }
        put(surnames[last]);
        if (form == Form.LAST_DOT_INITIAL) {
            put('.');
            put((char) INITIALS[initial]);
        }
        putNumber(rest, own);
    }

    private void putFirst(Form form, long count, long salt) {
        firstRanks.deal(count, salt);
        int first = firstRanks.rank();
        long bearer = firstRanks.count();
        long own = Mix.of(salt + first);
        put(firsts[first]);
        switch (form) {
            case FIRST_DOT_YEAR -> {
                put('.');
                putDigits(1950 + 60 * bearer + Math.floorMod(Mix.of(own + bearer), 60));
            }
            case FIRST_UNDERSCORE_INITIAL -> {
                put('_');
                put((char) INITIALS[initial(bearer, own)]);
                putNumber(bearer / INITIALS.length, own);
            }
            default -> putNumber(bearer, own);
        }
    }

    /** Returns each initial once for each 26 numbers, the common ones mostly first. */
    private static int initial(long number, long salt) {
        int n = INITIALS.length;
        int turn = Math.floorMod(salt, n) * Math.floorMod(salt >>> 8, n) / n;
        return (int) ((number + turn) % n);
    }

    private void putOffice(byte[][] offices, ZipfRanks ranks, long count, long salt, char sign) {
        ranks.deal(count, salt);
        put(offices[ranks.rank()]);
        if (ranks.count() > 0) {
            long more = ranks.count() - 1 + Math.floorMod(salt, words.length);
            put(sign);
            put(words[(int) (more % words.length)]);
            putNumber(more / words.length, salt);
        }
    }

    /** Puts nothing for 0, else one of about 30 numbers, other ones for each count. */
    private void putNumber(long count, long random) {
        if (count > 0) {
            putDigits(30 * count - 29 + Math.floorMod(Mix.of(random + count), 30));
        }
    }

    private void putDigits(long number) {
        put(Long.toString(number));
    }

    private void put(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    private void put(byte[] text) {
        System.arraycopy(text, 0, line, length, text.length);
        length += text.length;
    }

    private void put(char letter) {
        line[length++] = (byte) letter;
    }

    /** Writes addresses to standard output. */
    public static void main(String... arguments) throws IOException {
        long count = Long.parseLong(arguments[0]);
        long first = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        long seed = arguments.length > 2 ? Long.parseLong(arguments[2]) : 0;
        new HumanAddressGenerator(seed).print(first, count);
    }

    /** Deals numbers out to choices by their weights; each choice counts its numbers from 0. */
    private static final class Shares {
        private final int[] weights;

        /** The choices, each as often as it weighs, in no order. */
        private final int[] turns;

        /** How often the choice of a turn comes in the turns before. */
        private final int[] before;

        Shares(int... weights) {
            this.weights = weights;
            List<Integer> all = new ArrayList<>();
            for (int choice = 0; choice < weights.length; choice++) {
                all.addAll(Collections.nCopies(weights[choice], choice));
            }
            Collections.shuffle(all, new Random(weights.length));
            turns = all.stream().mapToInt(Integer::intValue).toArray();
            before = new int[turns.length];
            int[] seen = new int[weights.length];
            for (int turn = 0; turn < turns.length; turn++) {
                before[turn] = seen[turns[turn]]++;
            }
        }

        int choice(long number, long salt) {
            return turns[turn(number, salt)];
        }

        long count(long number, long salt) {
            int turn = turn(number, salt);
            return number / turns.length * weights[turns[turn]] + before[turn];
        }

        private int turn(long number, long salt) {
            long round = number / turns.length;
            int offset = (int) Long.remainderUnsigned(Mix.of(salt + round), turns.length);
            return (int) ((number % turns.length + offset) % turns.length);
        }
    }
}
