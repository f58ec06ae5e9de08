package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts.Described;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.Judges;
import io.github.senderwhitelist.mailet.server.Judges.Explained;
import io.github.senderwhitelist.mailet.server.ListQuestions;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The handlers of requests about all living lists, and about verdicts. */
public final class ListRequests {
    private final ListQuestions questions;
    private final Judges judges;

    public ListRequests(ListQuestions questions, Judges judges) {
        this.questions = questions;
        this.judges = judges;
    }

    /** Returns the routes of this class. */
    public List<WebRoute> routes() {
        return List.of(
                new WebRoute("GET", "/whitelists", Set.of(), this::overview),
                new WebRoute(
                        "GET",
                        "/whitelists/explain",
                        Set.of("as", "sender", "from", "recipient", "confirmed"),
                        this::explain));
    }

    private WebAnswer overview(WebRequest request) {
        return WebAnswer.of(
                WebLines.ordered(
                        "lists", questions.open().stream().map(ListRequests::state).toList()));
    }

    private static Map<String, @Nullable Object> state(LivingList list) {
        LivingStatus status = list.status();
        return WebLines.ordered(
                "name",
                list.settings().name(),
                "entries",
                status.entries(),
                "asOf",
                status.asOf(),
                "changes",
                status.changes(),
                "changeBytes",
                status.changeBytes(),
                "merges",
                status.merges(),
                "behind",
                status.behind(),
                "degraded",
                status.degraded(),
                "tableRead",
                status.tableRead(),
                "problem",
                status.problem());
    }

    private WebAnswer explain(WebRequest request) throws WebException {
        String as = request.optional("as");
        List<Explained> explained = judges.explain(as, described(request));
        if (as != null && explained.isEmpty()) {
            throw new WebException(
                    404,
                    "No mailet or matcher has this name",
                    "as='" + Text.shown(as) + "'; allowed: " + String.join("; ", judges.names()));
        }
        return WebAnswer.of(
                WebLines.ordered(
                        "explanations",
                        explained.stream().map(ListRequests::explanation).toList()));
    }

    private static Described described(WebRequest request) throws WebException {
        try {
            return Described.parse(
                    request.required("sender"),
                    request.optional("from"),
                    recipients(request.optional("recipient")),
                    Objects.requireNonNullElse(request.optional("confirmed"), ""));
        } catch (IllegalArgumentException e) {
            throw WebException.badRequest(
                    "What is confirmed is not understood", "confirmed=" + e.getMessage());
        }
    }

    private static List<String> recipients(@Nullable String written) throws WebException {
        List<String> recipients = new ArrayList<>();
        for (String each : written == null ? new String[0] : written.split(",", -1)) {
            if (WebRequest.key("recipient", each).isDomain()) {
                throw WebException.badRequest(
                        "A recipient is a domain",
                        "recipient='" + Text.shown(each) + "'; allowed: addresses");
            }
            recipients.add(each);
        }
        return recipients;
    }

    private static Map<String, @Nullable Object> explanation(Explained explained) {
        Decision decision = explained.decision();
        List<Object> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.verdicts().size(); i++) {
            Verdict verdict = decision.verdicts().get(i);
            verdicts.add(
                    WebLines.ordered(
                            "recipient",
                            decision.recipient(i),
                            "verdict",
                            verdict.word(),
                            "reason",
                            verdict.reason().label(),
                            "entry",
                            verdict.entry(),
                            "countsAsListed",
                            explained.policy().countsAsListed(verdict)));
        }
        return WebLines.ordered(
                "as",
                explained.as(),
                "lists",
                explained.lists(),
                "verdicts",
                verdicts,
                "steps",
                decision.steps());
    }
}
