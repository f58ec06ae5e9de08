package io.github.senderwhitelist.mailet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Explanation;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Answers questions to open lists, by the code that decides on mails. */
final class ListQuestions {
    /** A name at a domain, to ask for a domain. */
    private static final String ANYBODY = "anybody.at.all";

    private final OpenLists lists;
    private final Policy policy;

    ListQuestions(OpenLists lists, RecipientUsers users) {
        this.lists = lists;
        this.policy = Policy.plain(users);
    }

    /** Returns the routes of this class. */
    List<WebRoute> routes() {
        return List.of(
                new WebRoute("GET", "/whitelists", Set.of(), this::overview),
                new WebRoute(
                        "GET",
                        "/whitelists/explain",
                        Set.of("sender", "recipient"),
                        this::explain));
    }

    private List<LivingList> open() {
        List<LivingList> open = new ArrayList<>();
        for (String name : lists.livingNames()) {
            LivingList list = lists.living(name);
            if (list != null) {
                open.add(list);
            }
        }
        return open;
    }

    private WebAnswer overview(WebRequest request) {
        return WebAnswer.of(
                WebLines.ordered("lists", open().stream().map(ListQuestions::state).toList()));
    }

    private static Map<String, @Nullable Object> state(LivingList list) {
        LivingStatus status = list.status();
        return WebLines.ordered(
                "name",
                list.settings().name(),
                "addresses",
                status.addresses(),
                "domains",
                status.domains(),
                "entries",
                status.entries(),
                "asOf",
                status.asOf(),
                "changes",
                status.changes(),
                "changeBytes",
                status.changeBytes(),
                "folds",
                status.folds(),
                "behind",
                status.behind(),
                "degraded",
                status.degraded(),
                "compared",
                status.read(),
                "differences",
                status.differences(),
                "problem",
                status.problem());
    }

    private WebAnswer explain(WebRequest request) throws WebException {
        String sender = request.required("sender");
        Key recipient = request.recipients();
        if (recipient != null && recipient.isDomain()) {
            throw WebException.badRequest(
                    "The recipient is a domain", "recipient=; allowed: an address");
        }
        List<LivingList> open = open();
        Explanation explanation = new Explanation();
        Verdict verdict =
                new Whitelist(open, policy)
                        .check(
                                question(
                                        Sender.parse(sender),
                                        recipient,
                                        Authentication.UNCONFIRMED),
                                explanation)
                        .getFirst();
        return WebAnswer.of(
                WebLines.ordered(
                        "sender",
                        sender,
                        "recipient",
                        recipient,
                        "verdict",
                        Marks.name(verdict),
                        "reason",
                        verdict.reason().label(),
                        "entry",
                        verdict.entry(),
                        "lists",
                        open.stream().map(list -> list.settings().name()).toList(),
                        "steps",
                        explanation.lines()));
    }

    private static Question question(
            Sender sender, @Nullable Key recipient, Authentication authentication) {
        return new Question(
                sender,
                recipient == null ? List.of() : List.of(recipient.toString()),
                authentication);
    }

    /**
     * Returns the entries that list a sender for some recipients, or for nobody in particular, and
     * their lists, in databases and in files. A mail that is confirmed in every way is asked for,
     * so that no entry that may list the sender is passed over. For a domain, an unknown address
     * there is asked for.
     *
     * @throws IOException if a list cannot be asked
     */
    List<Map<String, @Nullable Object>> listing(Key sender, @Nullable Key to) throws IOException {
        Question question =
                question(
                        Sender.parse(address(sender).toString()),
                        to == null ? null : address(to),
                        (required, confirmed) -> true);
        Map<String, SenderList> all = new TreeMap<>(lists.files());
        open().forEach(list -> all.put(list.settings().name(), list));
        List<Map<String, @Nullable Object>> listing = new ArrayList<>();
        if (entry(all.values(), question) == null) {
            return listing;
        }
        for (var each : all.entrySet()) {
            Entry entry = entry(List.of(each.getValue()), question);
            if (entry != null) {
                listing.add(
                        WebLines.ordered(
                                "list", each.getKey(), "lines", WebLines.of(List.of(entry))));
            }
        }
        return listing;
    }

    /** Returns the entry by which lists list a sender, or null when they do not. */
    private @Nullable Entry entry(Collection<SenderList> asked, Question question)
            throws IOException {
        return switch (new Whitelist(List.copyOf(asked), policy).check(question).getFirst()) {
            case Listed(Entry entry) -> entry;
            case NotListed not -> null;
            case Unavailable(IOException cause) -> throw cause;
            case Failed(Throwable cause) -> throw new IOException(cause);
        };
    }

    /** Returns an address that a key is for. */
    private static Key address(Key key) {
        if (!key.isDomain()) {
            return key;
        }
        String domain = key.toString().substring(1);
        boolean subdomains = RecipientKind.of(key) == RecipientKind.SUBDOMAINS;
        return Key.of(
                ANYBODY.getBytes(UTF_8), ((subdomains ? "anything" : "") + domain).getBytes(UTF_8));
    }
}
