package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The routes that tell what mailets and matchers say of a mail, and have said of the last ones. */
public final class Explanations {
    /** The longest headers, in bytes. */
    private static final int MAX_HEADERS = 1 << 16;

    private final SharedLists lists;

    public Explanations(SharedLists lists) {
        this.lists = lists;
    }

    /** What one mailet or matcher says, and how that comes about. */
    private record Explanation(
            String as, List<String> lists, List<OneVerdict> verdicts, List<String> steps) {}

    /** The verdict for a recipient, if there is one, and the entry that decided, if one did. */
    private record OneVerdict(
            @Nullable String recipient,
            String verdict,
            String reason,
            @Nullable String entry,
            boolean countsAsListed) {}

    /** What was read in headers, and what it comes to; no {@code from} if that is unclear. */
    private record OfHeaders(
            String sender,
            @Nullable String from,
            String confirmed,
            List<Explanation> explanations) {}

    /** Explains what mailets and matchers say of a mail that is described in words. */
    public Object explain(WebRequest request, Response response) {
        String sender = request.query("sender");
        if (sender == null) {
            throw WebRequest.refused("sender= is missing");
        }
        String confirmed = Objects.requireNonNullElse(request.query("confirmed"), "");
        return Map.of(
                "explanations", explanations(request, sender, request.query("from"), confirmed));
    }

    /** Explains what mailets and matchers say of a mail with the headers in the body. */
    public Object explainHeaders(WebRequest request, Response response) {
        byte[] body =
                request.bytes(MAX_HEADERS, "-H 'Content-Type: text/plain' and --data-binary @FILE");
        PastedHeaders headers = PastedHeaders.parse(body);
        String from = Objects.toString(headers.from(), null);
        String sender =
                Stream.of(request.query("sender"), headers.returnPath(), from)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        if (sender == null) {
            throw WebRequest.refused(
                    "there is neither a header Return-Path nor a From: that names one mailbox; if"
                            + " these are the headers of a mail, add sender= with the envelope"
                            + " sender");
        }
        String confirmed =
                Objects.requireNonNullElse(request.query("confirmed"), headers.confirmed());
        return new OfHeaders(
                sender,
                from,
                confirmed,
                explanations(request, sender, Objects.requireNonNullElse(from, ""), confirmed));
    }

    private List<Explanation> explanations(
            WebRequest request, String sender, @Nullable String from, String confirmed) {
        String written = request.query("recipient");
        List<String> recipients = written == null ? List.of() : List.of(written.split(",", -1));
        recipients.forEach(each -> WebRequest.address("recipient", each));
        String as = request.query("as");
        List<Explanation> explained =
                lists.judging().stream()
                        .filter(each -> as == null || as.equals(each.name()))
                        .map(each -> explanation(each, sender, from, recipients, confirmed))
                        .toList();
        if (as != null && explained.isEmpty()) {
            throw WebRequest.error(
                    404,
                    "No mailet or matcher has this name",
                    "as='%s'; allowed: %s",
                    as,
                    String.join("; ", lists.judging().stream().map(Judging::name).toList()));
        }
        return explained;
    }

    private static Explanation explanation(
            Judging judging,
            String sender,
            @Nullable String from,
            List<String> recipients,
            String confirmed) {
        Policy policy = judging.whitelist().policy();
        MailFacts mail;
        try {
            mail = MailFacts.parse(sender, from, recipients, confirmed, policy.isLocal());
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

    /** Returns the last verdicts, or those on mails of some senders. */
    public Object recent(WebRequest request, Response response) {
        String sender = Objects.requireNonNullElse(request.query("sender"), "");
        return Map.of("mails", lists.recent().rows(sender));
    }
}
