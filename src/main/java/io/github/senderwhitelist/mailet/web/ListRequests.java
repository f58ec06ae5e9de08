package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.ListQuestions.Explained;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Answers requests about all living lists. */
public final class ListRequests {
    private final ListQuestions questions;

    public ListRequests(ListQuestions questions) {
        this.questions = questions;
    }

    /** Returns the routes of this class. */
    public List<WebRoute> routes() {
        return List.of(
                new WebRoute("GET", "/whitelists", Set.of(), this::overview),
                new WebRoute(
                        "GET",
                        "/whitelists/explain",
                        Set.of("sender", "recipient"),
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
        Explained explained = questions.explain(Sender.parse(sender), recipient);
        Verdict verdict = explained.verdict();
        return WebAnswer.of(
                WebLines.ordered(
                        "sender",
                        sender,
                        "recipient",
                        recipient,
                        "verdict",
                        verdict.word(),
                        "reason",
                        verdict.reason().label(),
                        "entry",
                        verdict.entry(),
                        "lists",
                        explained.lists().stream().map(list -> list.settings().name()).toList(),
                        "steps",
                        explained.steps()));
    }
}
