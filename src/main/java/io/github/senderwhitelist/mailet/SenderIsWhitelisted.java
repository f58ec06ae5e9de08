package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.mailet.verdict.Marks;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A matcher of the recipients for whom a mail's sender counts as listed. These are all or none,
 * unless entries have conditions on recipients; then James splits the mail.
 *
 * <pre>{@code
 * <mailet match="io.github.senderwhitelist.mailet.SenderIsWhitelisted=file://conf/whitelist.txt" class="ToProcessor">
 *   <processor>transport</processor>
 * </mailet>
 * }</pre>
 *
 * <p>Parameters of the mailet can follow the URL as {@code ;name=value}. The matcher sets the same
 * attributes as the mailet. When James splits a mail, both parts inherit them, so verdict and
 * reason are {@code listed-for-some}.
 *
 * <p>With {@code ;keptIf=HEADER}, listed recipients count as rescued for whom the mail has that
 * header of a scanner's, beginning with yes. What the matcher returns is the same.
 *
 * <p>The matcher never throws, as little as {@link SenderWhitelist}.
 */
public class SenderIsWhitelisted extends WhitelistMatcher {
    private static final String KEPT_IF = "keptIf";
    private static final ValueType<String> HEADERS =
            new ValueType<>(
                    text -> Optional.of(text).filter(name -> name.matches("[!-9;-~]+")),
                    "the name of a header, such as org.apache.james.rspamd.flag");

    /** The header by which a scanner says that a mail is spam; null if none is named. */
    private @Nullable String keptIf;

    @Inject
    public SenderIsWhitelisted(SharedLists shared) {
        super(shared);
    }

    @Override
    void open(Parameters parameters) {
        keptIf = parameters.given(KEPT_IF, HEADERS);
        check.open(parameters, this::isLocal);
    }

    @Override
    public Collection<MailAddress> match(Mail mail) {
        MailVerdicts verdicts = check.judge(mail);
        Part listed = verdicts.listed();
        Part others = verdicts.others();
        try {
            boolean isFirst = !Marks.isJudged(mail);
            if (listed != null && others != null) {
                Marks.listedForSome(mail, listed, others);
                check.count(listed.verdict());
                check.count(others.verdict());
            } else {
                Marks.verdict(mail, verdicts.whole());
                check.count(verdicts.whole().verdict());
            }
            check.countUse(verdicts, isFirst, recipient -> isKept(mail, recipient));
        } catch (Throwable e) {
            Harmless.log("Marking a mail", e);
        }
        return listed == null ? List.of() : listed.recipients();
    }

    /** Returns whether a scanner says of a mail that it is spam, for the recipient or for all. */
    private boolean isKept(Mail mail, MailAddress recipient) {
        String name = keptIf;
        if (name == null) {
            return false;
        }
        List<String> own =
                mail.getPerRecipientSpecificHeaders().getHeadersForRecipient(recipient).stream()
                        .filter(header -> name.equalsIgnoreCase(header.getName()))
                        .map(PerRecipientHeaders.Header::getValue)
                        .toList();
        try {
            String[] ofAll = own.isEmpty() ? mail.getMessage().getHeader(name) : null;
            return (ofAll == null ? own : List.of(ofAll))
                    .stream().anyMatch(value -> value.strip().regionMatches(true, 0, "yes", 0, 3));
        } catch (MessagingException e) {
            return false;
        }
    }
}
