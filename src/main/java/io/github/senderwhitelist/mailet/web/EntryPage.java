package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A page of a list, or of its senders that begin with a prefix. They are neighbours, since entries
 * are in the order of their local parts, then of their domains.
 *
 * @param next the line after whose entry the next page begins, or null at the end
 */
record EntryPage(List<String> lines, @Nullable String next) {
    private static final ValueType<Long> LIMITS = ValueType.whole(1, 10_000);

    /** Returns the page that a request asks for. */
    static EntryPage of(ListRecord table, WebRequest request) throws IOException {
        String written = Objects.requireNonNullElse(request.query("prefix"), "");
        String prefix = Normalizer.normalize(written.toLowerCase(Locale.ROOT), Normalizer.Form.NFC);
        String place = request.query("after");
        Entry after = place == null ? before(prefix) : after(place, prefix);
        int limit = request.query("limit", LIMITS, "1000").intValue();
        List<Entry> found =
                table.page(after, limit + 1).stream()
                        .takeWhile(entry -> hasPrefix(entry, prefix))
                        .toList();
        List<Entry> shown = found.subList(0, Math.min(limit, found.size()));
        boolean more = found.size() > limit;
        return new EntryPage(
                EntryRoutes.lines(shown),
                more ? Rule.LISTS.line(shown.getLast().key(), shown.getLast().to()) : null);
    }

    private static boolean hasPrefix(Entry entry, String prefix) {
        Key key = entry.key();
        int start = key.domainStart();
        String local = new String(key.bytes(), 0, key.localLength(), UTF_8);
        String domain = new String(key.bytes(), start, key.bytes().length - start, UTF_8);
        return (local + '@' + domain).startsWith(prefix);
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
        throw Errors.of(
                400,
                "The place cannot be used",
                "after='%s'; allowed: what 'next' of the page before says, with the same prefix",
                line);
    }
}
