package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.mailet.verdict.Marks;

import jakarta.inject.Inject;

import org.apache.james.core.MailAddress;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Mail;

import java.util.Collection;
import java.util.List;

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
 * <p>The matcher never throws, as little as {@link SenderWhitelist}.
 */
public class SenderIsWhitelisted extends WhitelistMatcher {
    /** Called by James' injector. */
    @Inject
    public SenderIsWhitelisted(FileSystem files, SharedLists shared) {
        super("SenderIsWhitelisted", files, shared);
    }

    @Override
    void open(Parameters parameters) throws SettingException {
        check.open(parameters, this::isLocal);
    }

    @Override
    public Collection<MailAddress> match(Mail mail) {
        try {
            return matched(mail);
        } catch (Throwable e) {
            Harmless.log("Matching a mail", e);
            return List.of();
        }
    }

    private Collection<MailAddress> matched(Mail mail) {
        MailVerdicts verdicts = check.judge(mail);
        Part listed = verdicts.listed();
        Part others = verdicts.others();
        if (listed != null && others != null) {
            Marks.listedForSome(mail, listed, others);
            check.count(listed.verdict());
            check.count(others.verdict());
        } else {
            Marks.verdict(mail, verdicts.whole());
            check.count(verdicts.whole().verdict());
        }
        return listed == null ? List.of() : listed.recipients();
    }
}
