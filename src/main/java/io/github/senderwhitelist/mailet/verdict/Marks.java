package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;

import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeUtils;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The marks of verdicts: attributes on mails, and lines in the log. The logger has the name of the
 * mailet, as the manual says.
 */
public final class Marks {
    private static final Logger LOGGER =
            LoggerFactory.getLogger("io.github.senderwhitelist.mailet.SenderWhitelist");

    /** Logs failures in full, at DEBUG. */
    private static final Logger DETAILS = LoggerFactory.getLogger(Marks.class);

    private static final AttributeName VERDICT =
            AttributeName.of("io.github.senderwhitelist.verdict");
    private static final AttributeName REASON =
            AttributeName.of("io.github.senderwhitelist.reason");
    private static final AttributeName ENTRY = AttributeName.of("io.github.senderwhitelist.entry");

    /** The verdict and reason of a mail that James splits, which both parts inherit. */
    private static final String LISTED_FOR_SOME = "listed-for-some";

    private Marks() {}

    /**
     * Marks a mail, or a part of one, with its verdict. An entry for a single recipient is only
     * shown to that one, and in the log, which is the administrator's.
     */
    public static void verdict(Mail mail, Part part) {
        Verdict verdict = part.verdict();
        Entry entry = verdict.entry();
        Key to = entry == null ? null : entry.to();
        boolean isForAll = to == null || to.isDomain() || mail.getRecipients().size() == 1;
        String reason = verdict.reason().label();
        mark(mail, verdict.word(), reason, isForAll ? entry : null);
        log(mail, verdict.word(), reason, verdict);
        complain(mail, part);
    }

    /**
     * Marks a mail that James splits afterwards, because its sender counts as listed for some
     * recipients only. Both parts inherit the attributes, so these name no reason and no entry.
     */
    public static void listedForSome(Mail mail, Part listed, Part others) {
        mark(mail, LISTED_FOR_SOME, LISTED_FOR_SOME, null);
        log(mail, LISTED_FOR_SOME, LISTED_FOR_SOME, null);
        complain(mail, listed);
        complain(mail, others);
    }

    /** Returns whether a mail was marked as listed, for all its recipients. */
    public static boolean isListed(Mail mail) {
        return AttributeUtils.getValueAndCastFromMail(mail, VERDICT, String.class)
                .filter(Verdict.LISTED::equals)
                .isPresent();
    }

    /** Returns whether a mail was judged before. */
    public static boolean isJudged(Mail mail) {
        return mail.getAttribute(VERDICT).isPresent();
    }

    private static void mark(Mail mail, String verdict, String reason, @Nullable Entry entry) {
        mail.setAttribute(new Attribute(VERDICT, AttributeValue.of(verdict)));
        mail.setAttribute(new Attribute(REASON, AttributeValue.of(reason)));
        if (entry == null) {
            mail.removeAttribute(ENTRY);
        } else {
            mail.setAttribute(new Attribute(ENTRY, AttributeValue.of(entry.toString())));
        }
    }

    private static void log(Mail mail, String word, String reason, @Nullable Verdict verdict) {
        if (!LOGGER.isDebugEnabled()) {
            return;
        }
        Entry entry = verdict == null ? null : verdict.entry();
        LOGGER.debug(
                "mail={} sender={} verdict={} reason={} entry={}{}",
                mail.getName(),
                Text.shown(mail.getMaybeSender().asPrettyString()),
                word,
                reason,
                entry == null ? "-" : entry,
                verdict instanceof NotListed not && not.denied() != null
                        ? " denies=" + not.denied()
                        : "");
    }

    private static void complain(Mail mail, Part part) {
        if (part.verdict() instanceof Unavailable(var cause)) {
            LOGGER.warn(
                    "The whitelist could not tell for mail {}: {}. It is treated as {}",
                    mail.getName(),
                    cause.getMessage(),
                    part.isListed() ? "listed" : "not listed");
            DETAILS.debug("mail={}: the whitelist could not tell", mail.getName(), cause);
        } else if (part.verdict() instanceof Failed(var cause)) {
            LOGGER.error(
                    "Error in the whitelist at mail {}, please report it: {}. It is treated as not"
                            + " listed; logger {} has more at DEBUG",
                    mail.getName(),
                    Text.shown(cause.toString()),
                    DETAILS.getName());
            DETAILS.debug("mail={}: error in the whitelist", mail.getName(), cause);
        }
    }
}
