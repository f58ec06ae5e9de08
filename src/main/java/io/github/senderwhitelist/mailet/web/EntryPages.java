package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.DomainSearch;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Found;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The routes that read the entries of a list: page by page, by a search, for a recipient, or one. A
 * page begins after the last entry of the page before, which may be gone by then.
 */
public final class EntryPages {
    /** How many entries of a list are in an answer at most. */
    private static final int MAX_ENTRIES = 10_000;

    static final ValueType<Long> LIMITS = ValueType.whole(1, MAX_ENTRIES);

    /** How long the search for a domain reads a file before it answers with what it has. */
    private static final Duration SEARCH = Duration.ofMillis(200);

    private final SharedLists lists;

    public EntryPages(SharedLists lists) {
        this.lists = lists;
    }

    public static List<String> lines(List<Entry> entries) {
        return entries.stream().flatMap(entry -> entry.lines().stream()).toList();
    }

    /** Returns an entry as the place after which a page begins. */
    static String place(Entry entry) {
        return Rule.LISTS.line(entry.key(), entry.to());
    }

    /** Returns the entry after which a page of entries with a prefix begins. */
    static Entry place(String after, String prefix) {
        if (ListLine.parse(after) instanceof ListLine.Good(Entry entry)
                && hasPrefix(entry, prefix)) {
            return entry;
        }
        throw WebRequest.refused(
                "after='%s'; allowed: what 'next' of the page before says, with the same prefix",
                after);
    }

    /** Returns the entries of the list that the path names. */
    static EntryWalk.Pages source(SharedLists lists, WebRequest request) {
        FileList file = lists.files().get(request.path("list"));
        return file == null
                ? request.living(lists).record()::page
                : (last, max) -> {
                    try (Generation.Entries entries = entries(file, last)) {
                        return after(last, entries).next(max);
                    }
                };
    }

    /** Returns the entries of a file from a few before one on. */
    private static Generation.Entries entries(FileList file, @Nullable Entry from)
            throws IOException {
        if (!file.settings().exactLookup()) {
            throw WebRequest.refused(
                    "with exactLookup=off only filters are kept, which cannot tell their entries;"
                            + " look into the list's file, or set exactLookup to on");
        }
        while (true) {
            Generation generation = file.current();
            try {
                return generation.entries(from);
            } catch (RetiredException e) {
                if (file.current() == generation) {
                    throw new IOException("the list is closed", e);
                }
            }
        }
    }

    private static EntryWalk after(@Nullable Entry last, Generation.Entries entries) {
        return () -> {
            Entry next = entries.next();
            while (next != null
                    && (next.rules().isEmpty()
                            || (last != null && Entry.ORDER.compare(next, last) <= 0))) {
                next = entries.next();
            }
            return next;
        };
    }

    /** Lines of a list, and the one after whose entry the next page begins; null at the end. */
    private record Page(List<String> lines, @Nullable String next) {
        static Page of(Found found) {
            Entry last = found.last();
            return new Page(EntryPages.lines(found.entries()), last == null ? null : place(last));
        }
    }

    /**
     * Returns a page of all entries, or of those whose senders begin with a prefix, which are
     * neighbours. Those of a domain are not, so all are looked through, perhaps in many requests.
     */
    public Object page(WebRequest request, Response response) throws IOException {
        String written = Objects.requireNonNullElse(request.query("prefix"), "");
        String prefix = canonical(HiddenCharacters.strip(written));
        boolean isDomain = prefix.length() > 1 && prefix.charAt(0) == '@';
        String beginning = isDomain ? "" : prefix;
        String after = request.query("after");
        Entry last = after == null ? before(beginning) : place(after, beginning);
        int limit = request.query("limit", LIMITS, "1000").intValue();
        if (request.query("endsWithin") != null) {
            if (!written.isEmpty()) {
                throw WebRequest.refused("endsWithin and prefix; allowed: one of the two");
            }
            return Page.of(ending(request, last, limit));
        }
        if (isDomain) {
            return Page.of(search(request, prefix, last, limit));
        }
        List<Entry> found =
                source(lists, request).after(last, limit + 1).stream()
                        .takeWhile(each -> hasPrefix(each, prefix))
                        .toList();
        return Page.of(
                found.size() <= limit
                        ? new Found(found, null)
                        : new Found(found.subList(0, limit), found.get(limit - 1)));
    }

    /** Returns how senders begin that were written so: a whole address may have another domain. */
    private static String canonical(String prefix) {
        return AddressSyntax.parse(prefix) instanceof Address address
                ? address.toString()
                : AddressSyntax.folded(prefix);
    }

    /** Returns all entries for one recipient. Without some they would look complete. */
    public Object ofRecipient(WebRequest request, Response response) throws IOException {
        Key recipient = WebRequest.key("recipient", request.path("recipient"));
        ListRecord record = request.living(lists).record();
        List<Entry> found = record.entriesFor(recipient, MAX_ENTRIES + 1);
        if (found.size() > MAX_ENTRIES) {
            throw WebRequest.refused(
                    "the list has more than "
                            + MAX_ENTRIES
                            + " entries for '%s'; ask for pages of"
                            + " all its entries, or type: whitelist export LIST --to RECIPIENT",
                    recipient);
        }
        return Map.of("lines", lines(found));
    }

    private Found search(WebRequest request, String prefix, @Nullable Entry after, int max)
            throws IOException {
        String written = prefix.substring(1);
        String domain =
                ListLine.parse(prefix) instanceof ListLine.Good(Entry entry)
                        ? entry.key().toString().substring(1)
                        : written;
        DomainSearch search = new DomainSearch(written, domain);
        FileList file = lists.files().get(request.path("list"));
        if (file == null) {
            return request.living(lists).record().search(search, after, max);
        }
        return part(file, after, max, each -> search.matches(each.key()));
    }

    /** Returns what ends within some days: of a database by their ends, without pages. */
    private Found ending(WebRequest request, @Nullable Entry after, int max) throws IOException {
        Instant now = lists.clock().instant();
        Instant end = now.plus(Duration.ofDays(request.query("endsWithin", UsageRoutes.DAYS, "")));
        FileList file = lists.files().get(request.path("list"));
        if (file == null) {
            if (after != null) {
                throw WebRequest.refused("endsWithin and after: a database gives one page");
            }
            return new Found(request.living(lists).record().ending(now, end, max), null);
        }
        return part(
                file,
                after,
                max,
                entry ->
                        entry.rules().stream()
                                .map(Rule::end)
                                .anyMatch(at -> !at.isBefore(now) && at.isBefore(end)));
    }

    /** Looks for entries in a list in a file, for a while. */
    private static Found part(
            FileList file, @Nullable Entry after, int max, Predicate<Entry> isWanted)
            throws IOException {
        long began = System.nanoTime();
        List<Entry> found = new ArrayList<>();
        try (Generation.Entries entries = entries(file, after)) {
            EntryWalk walk = after(after, entries);
            Entry next = walk.next();
            while (next != null) {
                if (isWanted.test(next)) {
                    found.add(next);
                }
                if (found.size() == max || System.nanoTime() - began > SEARCH.toNanos()) {
                    return new Found(found, next);
                }
                next = walk.next();
            }
        }
        return new Found(found, null);
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

    /** An entry of a file, and where its lines are, as far as they are found in time. */
    private record InFile(List<String> lines, List<Long> lineNumbers) {}

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
        return file == null
                ? Map.of("lines", entry.lines())
                : new InFile(entry.lines(), numbers(file, sender, to));
    }

    private static @Nullable Entry find(FileList file, Key sender, @Nullable Key to)
            throws IOException {
        Entry wanted = new Entry(sender, to, List.of());
        try (Generation.Entries entries = entries(file, wanted)) {
            Entry next = entries.next();
            while (next != null && Entry.ORDER.compare(next, wanted) < 0) {
                next = entries.next();
            }
            return next != null && next.pair().equals(wanted.pair()) ? next : null;
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
