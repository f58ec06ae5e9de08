package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** The routes of whole lists, of decisions, and of all that is kept of a user. */
public final class ListRoutes {
    /** How many entries of a list are in an answer at most. */
    private static final int MAX_ENTRIES = 10_000;

    private static final ValueType<Long> LIMITS = ValueType.whole(1, MAX_ENTRIES);

    private final SharedLists lists;

    public ListRoutes(SharedLists lists) {
        this.lists = lists;
    }

    /** Returns the lines of entries, as a text list has them. */
    private static List<String> lines(List<Entry> entries) {
        return entries.stream().flatMap(entry -> entry.lines().stream()).toList();
    }

    /** The state of a list. Its members are those of the status, whatever these are. */
    private record State(String name, @JsonUnwrapped LivingStatus status) {}

    /** Returns the open living lists and their state. */
    public Object all(WebRequest request, Response response) {
        return Map.of(
                "lists",
                lists.living().entrySet().stream()
                        .map(list -> new State(list.getKey(), list.getValue().status()))
                        .toList());
    }

    /** Reads a list again, from its file or its database, whether it changed or not. */
    public @Nullable Object reload(WebRequest request, Response response) throws IOException {
        String name = request.path("list");
        FileList file = lists.files().get(name);
        LivingList living = lists.living(name);
        if (file != null) {
            long before = file.status().done();
            ListStatus after = file.reload();
            if (after.problem() != null) {
                throw new IOException(after.problem());
            }
            if (after.done() == before) {
                throw new IOException(
                        "the file changed while it was read; it is taken when it stands still");
            }
        } else if (living != null) {
            living.reload();
        } else {
            Set<String> names = new TreeSet<>(lists.files().keySet());
            names.addAll(lists.living().keySet());
            throw WebRequest.unknown("list", name, names);
        }
        return null;
    }

    /**
     * Lines of a list.
     *
     * @param next the line after whose entry the next page begins, or null at the end
     */
    private record Page(List<String> lines, @Nullable String next) {}

    /**
     * Returns a page of all entries, or of those whose senders begin with a prefix. They are
     * neighbours, since entries are in the order of their local parts, then of their domains.
     */
    public Object page(WebRequest request, Response response) throws IOException {
        LivingList list = request.living(lists);
        String written = Objects.requireNonNullElse(request.query("prefix"), "");
        String prefix = Normalizer.normalize(written.toLowerCase(Locale.ROOT), Normalizer.Form.NFC);
        String place = request.query("after");
        Entry after = place == null ? before(prefix) : after(place, prefix);
        int limit = request.query("limit", LIMITS, "1000").intValue();
        List<Entry> found =
                list.record().page(after, limit + 1).stream()
                        .takeWhile(entry -> hasPrefix(entry, prefix))
                        .toList();
        if (found.size() <= limit) {
            return new Page(lines(found), null);
        }
        Entry last = found.get(limit - 1);
        return new Page(lines(found.subList(0, limit)), Rule.LISTS.line(last.key(), last.to()));
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

    /** Adds the entries of a text list. */
    public Object patch(WebRequest request, Response response) throws IOException {
        LivingList list = request.living(lists);
        ValueType<Boolean> values = ValueType.either("true", "false");
        boolean replaceDenials = request.query("replaceDenials", values, "false");
        String text = request.body("-H 'Content-Type: text/plain' and --data-binary @FILE");
        return new TextListPatch(text).add(list, replaceDenials, request.who());
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

    /** All that is kept of a user, with the lists that keep nothing. */
    private record Kept(String user, List<LinesOfList> lists) {}

    private record LinesOfList(String list, List<String> lines) {}

    /** Returns all that is kept of a user. What is cut or left out would look complete. */
    public Object ofUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<LinesOfList> kept = new ArrayList<>();
        for (Map.Entry<String, LivingList> list : lists.living().entrySet()) {
            var entries = list.getValue().record().entriesFor(user, Integer.MAX_VALUE);
            kept.add(new LinesOfList(list.getKey(), lines(entries)));
        }
        return new Kept(user.toString(), kept);
    }

    /** Removes all of a user in every list that can be changed, though another cannot. */
    public @Nullable Object removeUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<String> failures = new ArrayList<>();
        try {
            lists.forgetUsage(user);
        } catch (IOException e) {
            failures.add(String.valueOf(e.getMessage()));
        }
        for (LivingList list : lists.living().values()) {
            try {
                list.removeAllFor(user, request.who());
                list.record().forgetHistory(user);
            } catch (IOException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(
                    "not all is removed; do it once more: " + String.join("; ", failures));
        }
        return null;
    }

    /** What one mailet or matcher says, and how that comes about. */
    private record Explanation(
            String as, List<String> lists, List<OneVerdict> verdicts, List<String> steps) {}

    /**
     * The verdict for a recipient.
     *
     * @param recipient null if there is none
     * @param entry the entry that decided, if one did
     * @param countsAsListed whether the mail is forwarded as that of a listed sender
     */
    private record OneVerdict(
            @Nullable String recipient,
            String verdict,
            String reason,
            @Nullable String entry,
            boolean countsAsListed) {}

    /** Explains what mailets and matchers say of a mail. */
    public Object explain(WebRequest request, Response response) {
        String sender = request.query("sender");
        if (sender == null) {
            throw WebRequest.refused("sender= is missing");
        }
        String written = request.query("recipient");
        List<String> recipients = written == null ? List.of() : List.of(written.split(",", -1));
        recipients.forEach(each -> WebRequest.address("recipient", each));
        String as = request.query("as");
        List<Explanation> explained =
                lists.judging().stream()
                        .filter(each -> as == null || as.equals(each.name()))
                        .map(each -> explanation(each, request, sender, recipients))
                        .toList();
        if (as != null && explained.isEmpty()) {
            throw WebRequest.error(
                    404,
                    "No mailet or matcher has this name",
                    "as='%s'; allowed: %s",
                    as,
                    String.join("; ", lists.judging().stream().map(Judging::name).toList()));
        }
        return Map.of("explanations", explained);
    }

    private static Explanation explanation(
            Judging judging, WebRequest request, String sender, List<String> recipients) {
        Policy policy = judging.whitelist().policy();
        String confirmed = Objects.requireNonNullElse(request.query("confirmed"), "");
        MailFacts mail;
        try {
            mail =
                    MailFacts.parse(
                            sender, request.query("from"), recipients, confirmed, policy.isLocal());
        } catch (IllegalArgumentException e) {
            throw WebRequest.refused("confirmed=" + e.getMessage());
        }
        Decision decision = judging.whitelist().decide(mail, true);
        List<OneVerdict> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.verdicts().size(); i++) {
            Verdict verdict = decision.verdicts().get(i);
            verdicts.add(
                    new OneVerdict(
                            recipients.isEmpty() ? null : mail.recipients().get(i),
                            verdict.word(),
                            verdict.reason().label(),
                            Objects.toString(verdict.entry(), null),
                            policy.countsAsListed(verdict)));
        }
        return new Explanation(judging.name(), judging.lists(), verdicts, decision.steps());
    }
}
