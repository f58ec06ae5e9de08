package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.NumberText;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * The pages of a list. The place after a page is that of its last entry, in a form that nobody
 * needs to understand.
 */
final class EntryPaging {
    private static final String LIMIT = "limit";
    private static final String AFTER = "after";

    /** The parameters of the query. */
    static final Set<String> QUERY = Set.of(LIMIT, AFTER);

    private static final int USUAL = 1_000;
    private static final int MOST = 10_000;

    private EntryPaging() {}

    /** Returns the page that a request asks for. */
    static WebAnswer answer(ListRecord table, WebRequest request) throws WebException, IOException {
        ListRecord.Page page = table.page(after(request), limit(request));
        List<Entry> entries = page.entries();
        return WebAnswer.of(
                WebLines.ordered(
                        "lines",
                        WebLines.of(entries),
                        "next",
                        page.more() && !entries.isEmpty() ? place(entries.getLast()) : null));
    }

    private static int limit(WebRequest request) throws WebException {
        String limit = request.optional(LIMIT);
        if (limit == null) {
            return USUAL;
        }
        long number = NumberText.whole(limit).orElse(0);
        if (number < 1 || number > MOST) {
            throw WebException.badRequest(
                    "The limit cannot be used",
                    "limit='" + Text.shown(limit) + "'; allowed: from 1 to " + MOST);
        }
        return (int) number;
    }

    private static String place(Entry entry) {
        byte[] line = Rule.LISTS.line(entry.key(), entry.to()).getBytes(UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(line);
    }

    private static @Nullable Entry after(WebRequest request) throws WebException {
        String place = request.optional(AFTER);
        if (place == null) {
            return null;
        }
        try {
            String line = new String(Base64.getUrlDecoder().decode(place), UTF_8);
            if (ListLine.parse(line) instanceof ListLine.Good(Entry entry)) {
                return entry;
            }
        } catch (IllegalArgumentException e) {
            // As below.
        }
        throw WebException.badRequest(
                "The place cannot be used",
                "after='"
                        + Text.shown(place)
                        + "'; allowed: what 'next' of the page before says, unchanged");
    }
}
