package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;

import spark.HaltException;
import spark.Response;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** The routes of whole lists, of decisions, and of all that is kept of a user. */
public final class ListRoutes {
    private final SharedLists lists;

    public ListRoutes(SharedLists lists) {
        this.lists = lists;
    }

    /** Returns the error that no open list has a name. */
    static HaltException unknown(String kind, String name, Set<String> names) {
        return Errors.of(
                404,
                "There is no open " + kind + " of this name",
                "'%s'; open are: " + (names.isEmpty() ? "none" : String.join(", ", names)),
                name);
    }

    private record Overview(List<State> lists) {}

    /** The state of a list. Its members are those of the status, whatever these are. */
    private record State(String name, @JsonUnwrapped LivingStatus status) {}

    /** Returns the open living lists and their state. */
    public Object all(WebRequest request, Response response) {
        return new Overview(
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
            throw unknown("list", name, names);
        }
        return null;
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
            kept.add(new LinesOfList(list.getKey(), EntryRoutes.lines(entries)));
        }
        return new Kept(user.toString(), kept);
    }

    /** Removes all of a user in every list that can be changed, though another cannot. */
    public @Nullable Object removeUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<String> failures = new ArrayList<>();
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

    private record Explanations(List<Explanation> explanations) {}

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
        String as = request.query("as");
        String sender = request.query("sender");
        if (sender == null) {
            throw Errors.of(400, "A parameter is missing", "sender=");
        }
        String written = request.query("recipient");
        List<String> recipients = written == null ? List.of() : List.of(written.split(",", -1));
        recipients.forEach(each -> WebRequest.address("recipient", each));
        List<Explanation> explained =
                lists.judging().stream()
                        .filter(each -> as == null || as.equals(each.name()))
                        .map(each -> explanation(each, request, sender, recipients))
                        .toList();
        if (as != null && explained.isEmpty()) {
            throw Errors.of(
                    404,
                    "No mailet or matcher has this name",
                    "as='%s'; allowed: %s",
                    as,
                    String.join("; ", lists.judging().stream().map(Judging::name).toList()));
        }
        return new Explanations(explained);
    }

    private static Explanation explanation(
            Judging judging, WebRequest request, String sender, List<String> recipients) {
        Policy policy = judging.whitelist().policy();
        MailFacts mail;
        try {
            mail =
                    MailFacts.parse(
                            sender,
                            request.query("from"),
                            recipients,
                            Objects.requireNonNullElse(request.query("confirmed"), ""),
                            policy.isLocal());
        } catch (IllegalArgumentException e) {
            throw Errors.of(
                    400, "What is confirmed is not understood", "confirmed=" + e.getMessage());
        }
        Decision decision = judging.whitelist().decide(mail, true);
        List<OneVerdict> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.verdicts().size(); i++) {
            Verdict verdict = decision.verdicts().get(i);
            verdicts.add(
                    new OneVerdict(
                            decision.recipient(i),
                            verdict.word(),
                            verdict.reason().label(),
                            Objects.toString(verdict.entry(), null),
                            policy.countsAsListed(verdict)));
        }
        return new Explanation(judging.name(), judging.lists(), verdicts, decision.steps());
    }
}
