package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Verdict;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The header by which a recipient sees the verdict:
 *
 * <pre>
 * X-Sender-Whitelist: listed; reason=listed; sender=envelope; confirmed=spf,dkim; by=…
 * </pre>
 *
 * <p>It names no entry, because an entry may be another recipient's own.
 *
 * @param verdict the verdict for this recipient
 * @param reason the label of the reason
 * @param sender which address of the mail was asked for, a label of {@link SenderIdentity}
 * @param confirmed what has confirmed that address, or {@value #NOTHING}; labels of {@link
 *     Confirmation} with commas between them. Of two addresses, both are confirmed
 * @param by the seal, see {@link HeaderSeal}; empty until the header is sealed
 */
record VerdictHeader(String verdict, String reason, String sender, String confirmed, String by) {
    static final String NAME = "X-Sender-Whitelist";

    private static final String NOTHING = "none";

    /** Mail servers may fold a header wherever it has white space. */
    private static final Pattern FORM =
            Pattern.compile(
                    "\\s*+([a-z-]++)\\s*+;\\s*+reason=([a-z-]++)\\s*+;\\s*+sender=([a-z]++)\\s*+;"
                            + "\\s*+confirmed=([a-z,]++)\\s*+;\\s*+by=([A-Za-z0-9_-]++)\\s*+");

    /** Returns a header that is not sealed yet. */
    static VerdictHeader of(Verdict verdict, SenderIdentity sender, Set<Confirmation> confirmed) {
        String labels =
                confirmed.stream().map(Confirmation::label).collect(Collectors.joining(","));
        return new VerdictHeader(
                verdict.word(),
                verdict.reason().label(),
                sender.label(),
                labels.isEmpty() ? NOTHING : labels,
                "");
    }

    /**
     * Returns the header of a mail. James' queue in memory may have doubled it. Returns null when
     * the mail has different ones, or one that is not of this form.
     *
     * @param values the values of all headers of this name, at least one
     */
    static @Nullable VerdictHeader parse(List<String> values) {
        VerdictHeader first = parse(values.getFirst());
        return first != null && values.stream().allMatch(each -> first.equals(parse(each)))
                ? first
                : null;
    }

    private static @Nullable VerdictHeader parse(String value) {
        Matcher form = FORM.matcher(value);
        return form.matches()
                ? new VerdictHeader(
                        form.group(1), form.group(2), form.group(3), form.group(4), form.group(5))
                : null;
    }

    /** Returns whether anything has confirmed the address that was asked for. */
    boolean isConfirmed() {
        return !confirmed.equals(NOTHING);
    }

    /** Returns the value of the header, on one line, because James' queue over JMS needs that. */
    String print(String seal) {
        return "%s; reason=%s; sender=%s; confirmed=%s; by=%s"
                .formatted(verdict, reason, sender, confirmed, seal);
    }
}
