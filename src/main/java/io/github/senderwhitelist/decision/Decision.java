package io.github.senderwhitelist.decision;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A decision on a mail.
 *
 * @param recipients the recipients
 * @param senders the addresses that were asked for, one or two
 * @param verdicts a verdict for each recipient, or a single one without recipients
 * @param steps how they came about, in lines for people; empty unless wanted
 */
public record Decision(
        List<String> recipients, List<Sender> senders, List<Verdict> verdicts, List<String> steps) {
    /** The end of the step that finds nothing for all recipients, but something for others. */
    public static final String FOR_SOME = "entries for some recipients";

    /** Returns the recipient whom a verdict is for, or null for nobody in particular. */
    public @Nullable String recipient(int verdict) {
        return recipients.isEmpty() ? null : recipients.get(verdict);
    }
}
