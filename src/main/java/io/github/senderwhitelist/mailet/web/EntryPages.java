package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.io.InputStream;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** The routes that read the entries of a list: page by page, by a search, or one. */
public final class EntryPages {
    /** How many entries of a list are in an answer at most. */
    static final int MAX_ENTRIES = 10_000;

    private static final ValueType<Long> LIMITS = ValueType.whole(1, MAX_ENTRIES);

    /** How long the search for a domain reads entries before it answers with what it has. */
    private static final Duration SEARCH = Duration.ofMillis(200);

    /** How many entries a search reads at once. */
    private static final int AT_ONCE = 2_000;

    private final SharedLists lists;

    public EntryPages(SharedLists lists) {
        this.lists = lists;
    }

    /** Returns the lines of entries, as a text list has them. */
    static List<String> lines(List<Entry> entries) {
        return entries.stream().flatMap(entry -> entry.lines().stream()).toList();
    }

    /** Returns the entries of the list that the path names. */
    static EntryWalk.Pages source(SharedLists lists, WebRequest request) {
        FileList file = lists.files().get(request.path("list"));
        if (file == null) {
            return request.living(lists).record()::page;
        }
        requireEntries(file);
        return (last, max) -> after(file, last, max);
    }

    private static void requireEntries(FileList file) {
        if (!file.settings().exactLookup()) {
            throw WebRequest.refused(
                    "with exactLookup=off only filters are kept, which cannot tell their entries;"
                            + " look into the list's file, or set exactLookup to on");
        }
    }

    private static List<Entry> after(FileList file, @Nullable Entry last, int max)
            throws IOException {
        Generation generation = file.current();
        try (Generation.Entries entries = generation.entries(last)) {
            List<Entry> found = new ArrayList<>();
            Entry next = entries.next();
            while (next != null && found.size() < max) {
                if (!next.rules().isEmpty()
                        && (last == null || Entry.ORDER.compare(next, last) > 0)) {
                    found.add(next);
                }
                next = entries.next();
            }
            return found;
        } catch (RetiredException e) {
            if (file.current() == generation) {
                throw new IOException("the list is closed", e);
            }
            return after(file, last, max);
        }
    }

    /**
     * Lines of a list.
     *
     * @param next the line after whose entry the next page begins, or null at the end
     */
    private record Page(List<String> lines, @Nullable String next) {
        static Page before(List<Entry> found, @Nullable Entry last) {
            return new Page(
                    EntryPages.lines(found),
                    last == null ? null : Rule.LISTS.line(last.key(), last.to()));
        }
    }

    /**
     * Returns a page of all entries, or of those whose senders begin with a prefix. They are
     * neighbours, since entries are in the order of their local parts, then of their domains. Those
     * of a domain are not, so all entries are looked through, in several requests if need be.
     */
    public Object page(WebRequest request, Response response) throws IOException {
        EntryWalk.Pages source = source(lists, request);
        String written = Objects.requireNonNullElse(request.query("prefix"), "");
        String prefix = Normalizer.normalize(written.toLowerCase(Locale.ROOT), Normalizer.Form.NFC);
        Predicate<Key> ofDomain = ofDomain(prefix);
        String place = request.query("after");
        String beginning = ofDomain == null ? prefix : "";
        Entry last = place == null ? before(beginning) : after(place, beginning);
        int limit = request.query("limit", LIMITS, "1000").intValue();
        long began = System.nanoTime();
        List<Entry> found = new ArrayList<>();
        while (true) {
            int wanted = ofDomain == null ? limit + 1 - found.size() : AT_ONCE;
            List<Entry> some = source.after(last, wanted);
            for (Entry each : some) {
                boolean begins = hasPrefix(each, prefix);
                if (ofDomain == null && !begins) {
                    return Page.before(found, null);
                }
                if (begins || (ofDomain != null && ofDomain.test(each.key()))) {
                    if (found.size() == limit) {
                        return Page.before(found, last);
                    }
                    found.add(each);
                }
                last = each;
            }
            if (some.size() < wanted) {
                return Page.before(found, null);
            }
            if (System.nanoTime() - began > SEARCH.toNanos()) {
                return Page.before(found, last);
            }
        }
    }

    /**
     * Returns the test for senders at a domain, or at its subdomains; null if the search is for
     * none.
     */
    private static @Nullable Predicate<Key> ofDomain(String search) {
        if (search.length() < 2 || search.charAt(0) != '@') {
            return null;
        }
        byte[] domain =
                ListLine.parse(search) instanceof ListLine.Good(Entry entry)
                        ? Arrays.copyOfRange(
                                entry.key().bytes(),
                                entry.key().domainStart(),
                                entry.key().bytes().length)
                        : search.substring(1).getBytes(UTF_8);
        boolean isWide = domain.length > 0 && domain[0] == '.';
        return key -> {
            byte[] bytes = key.bytes();
            int from = isWide ? bytes.length - domain.length : key.domainStart();
            return from >= key.domainStart()
                    && Arrays.equals(bytes, from, bytes.length, domain, 0, domain.length);
        };
    }

    private static boolean hasPrefix(Entry entry, String prefix) {
        return entry.key().toString().startsWith(prefix);
    }

    /**
     * Returns what is in order right before all senders with a prefix; null if nothing can be. It
     * need not be an entry, nor a possible one. With a domain, its last byte becomes one less, and
     * then the greatest follows.
     */
    private static @Nullable Entry before(String prefix) {
        int at = prefix.lastIndexOf('@');
        byte[] local = prefix.substring(0, at < 0 ? prefix.length() : at).getBytes(UTF_8);
        byte[] domain = prefix.substring(at < 0 ? prefix.length() : at + 1).getBytes(UTF_8);
        if (domain.length > 0) {
            domain = Arrays.copyOf(domain, domain.length + 1);
            domain[domain.length - 2]--;
            domain[domain.length - 1] = (byte) 0xff; // Greater than any byte of UTF-8.
        }
        return local.length + domain.length == 0
                ? null
                : new Entry(Key.of(local, domain), null, List.of(Rule.LISTS));
    }

    private static Entry after(String line, String prefix) {
        if (ListLine.parse(line) instanceof ListLine.Good(Entry entry)
                && hasPrefix(entry, prefix)) {
            return entry;
        }
        throw WebRequest.refused(
                "after='%s'; allowed: what 'next' of the page before says, with the same prefix",
                line);
    }

    /**
     * The entry of a list in a file.
     *
     * @param line the number of its first line in the file; null if it was not found in time, or
     *     the file is no text list or has changed
     * @param lineNumbers the numbers of all its lines
     */
    private record InFile(List<String> lines, @Nullable Long line, List<Long> lineNumbers) {}

    /**
     * Returns the lines of all origins for a sender and recipients. Those of a living list are from
     * the database: what other servers have changed is there, too.
     */
    public Object entry(WebRequest request, Response response) throws IOException {
        FileList file = lists.files().get(request.path("list"));
        Key sender = request.sender();
        Key to = request.recipients();
        Entry entry =
                file == null
                        ? request.living(lists).record().find(sender, to)
                        : find(file, sender, to);
        if (entry == null || entry.rules().isEmpty()) {
            throw WebRequest.error(
                    404,
                    "There is no such entry",
                    entry == null
                            ? "for '%s'"
                            : "for '%s', but there are entries of this sender for some recipients",
                    sender);
        }
        if (file == null) {
            return Map.of("lines", entry.lines());
        }
        List<Long> numbers = numbers(file, sender, to);
        return new InFile(entry.lines(), numbers.isEmpty() ? null : numbers.getFirst(), numbers);
    }

    private static @Nullable Entry find(FileList file, Key sender, @Nullable Key to)
            throws IOException {
        requireEntries(file);
        Entry wanted = new Entry(sender, to, List.of());
        Generation generation = file.current();
        try (Generation.Entries entries = generation.entries(wanted)) {
            Entry next = entries.next();
            while (next != null && Entry.ORDER.compare(next, wanted) < 0) {
                next = entries.next();
            }
            return next != null && next.pair().equals(wanted.pair()) ? next : null;
        } catch (RetiredException e) {
            if (file.current() == generation) {
                throw new IOException("the list is closed", e);
            }
            return find(file, sender, to);
        }
    }

    /** Returns the numbers of the lines of an entry, as far as they are found in time. */
    private static List<Long> numbers(FileList list, Key sender, @Nullable Key to) {
        String file = list.settings().file().toString();
        try (InputStream in = new TimedInput(Disk.LOCAL.open(list.settings().file()).input())) {
            return TextList.numbers(in, file, sender, to);
        } catch (IOException e) {
            return List.of();
        }
    }
}
