package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts.Described;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/**
 * A check of senders against lists that this program opened. The code that decides is the one that
 * decides about mails.
 *
 * @param from the address in the header From:; null if it is that of the envelope, empty if the
 *     header is unclear
 * @param recipients whom the mail is for, or nobody in particular
 * @param confirmed what confirms the sender, as {@link
 *     io.github.senderwhitelist.decision.Evidence#parse} takes it
 * @param explain whether the steps are wanted
 */
record ListCheck(
        Whitelist whitelist,
        @Nullable String from,
        List<String> recipients,
        String confirmed,
        boolean explain) {
    /** Stands in place of an entry if there are some, but none for everybody. */
    private static final String FOR_SOME = "(only " + Decision.FOR_SOME + "; give --to)";

    private static final String NOT_UTF_8 =
            "not UTF-8, or changed on its way here (if it is Latin-1: iconv -f LATIN1 -t UTF-8)";

    /**
     * An answer.
     *
     * @param entry the entry that decided, or what is said in its place, or nothing
     * @param note what standard error should report of it, or nothing
     * @param steps how it came about
     */
    record Answer(Verdict verdict, String entry, String note, List<String> steps) {}

    /** Answers for a sender as it was written. */
    Answer answer(String text) {
        if (text.indexOf('\ufffd') >= 0) {
            return answer(text, new Unavailable(new IOException(NOT_UTF_8)), "", List.of());
        }
        String why =
                Sender.parse(text) instanceof Nobody(Reason reason, String nobody)
                                && reason == Reason.MALFORMED
                        ? nobody
                        : "";
        Decision decision =
                whitelist.decide(
                        Described.parse(text, from, recipients, confirmed)
                                .at(whitelist.policy().isLocal()),
                        explain || recipients.isEmpty());
        return answer(text, decision.verdicts().getFirst(), why, decision.steps());
    }

    private Answer answer(String text, Verdict verdict, String why, List<String> steps) {
        if (verdict instanceof Failed(var cause)) {
            throw new IllegalStateException(cause);
        }
        String note =
                verdict instanceof Unavailable(var cause)
                        ? Text.shown(text) + ": could not tell: " + cause.getMessage()
                        : why;
        Entry entry = verdict.entry();
        boolean isForSome =
                recipients.isEmpty()
                        && steps.stream().anyMatch(step -> step.contains(Decision.FOR_SOME));
        String shown = entry != null ? entry.toString() : isForSome ? FOR_SOME : "";
        return new Answer(verdict, shown, note, explain ? steps : List.of());
    }
}
