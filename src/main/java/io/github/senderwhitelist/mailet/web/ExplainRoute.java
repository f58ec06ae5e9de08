package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts.Described;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.mailet.server.Judges;
import io.github.senderwhitelist.mailet.server.Judges.Explained;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The route that explains what mailets and matchers say of a mail. */
public final class ExplainRoute {
    private final Judges judges;

    public ExplainRoute(Judges judges) {
        this.judges = judges;
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

    /** Explains. */
    public Object explain(WebRequest request, Response response) {
        String as = request.query("as");
        List<Explained> explained = judges.explain(as, described(request));
        if (as != null && explained.isEmpty()) {
            throw Errors.of(
                    404,
                    "No mailet or matcher has this name",
                    "as='" + Text.shown(as) + "'; allowed: " + String.join("; ", judges.names()));
        }
        return new Explanations(explained.stream().map(ExplainRoute::explanation).toList());
    }

    private static Explanation explanation(Explained explained) {
        Decision decision = explained.decision();
        List<OneVerdict> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.verdicts().size(); i++) {
            Verdict verdict = decision.verdicts().get(i);
            verdicts.add(
                    new OneVerdict(
                            decision.recipient(i),
                            verdict.word(),
                            verdict.reason().label(),
                            Objects.toString(verdict.entry(), null),
                            explained.policy().countsAsListed(verdict)));
        }
        return new Explanation(explained.as(), explained.lists(), verdicts, decision.steps());
    }

    private static Described described(WebRequest request) {
        String written = request.query("recipient");
        List<String> recipients = written == null ? List.of() : List.of(written.split(",", -1));
        recipients.forEach(each -> WebRequest.address("recipient", each));
        try {
            return Described.parse(
                    request.writtenSender(),
                    request.query("from"),
                    recipients,
                    Objects.requireNonNullElse(request.query("confirmed"), ""));
        } catch (IllegalArgumentException e) {
            throw Errors.of(
                    400, "What is confirmed is not understood", "confirmed=" + e.getMessage());
        }
    }
}
