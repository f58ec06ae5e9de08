package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.mailet.verdict.Marks;
import io.github.senderwhitelist.mailet.verdict.VerdictHeaders;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.james.lifecycle.api.LifecycleUtil;
import org.apache.mailet.Mail;
import org.apache.mailet.ProcessingState;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.Objects;
import java.util.stream.Stream;

import javax.crypto.SecretKey;

/**
 * A mailet that sends mails of listed senders to one processor and all others to another, or on to
 * the next mailet.
 *
 * <pre>{@code
 * <mailet match="All" class="io.github.senderwhitelist.mailet.SenderWhitelist">
 *   <whitelist>file://conf/whitelist.txt</whitelist>
 *   <onWhitelisted>transport</onWhitelisted>
 *   <onNotWhitelisted>spam-check</onNotWhitelisted>
 * </mailet>
 * }</pre>
 *
 * <p>Every mail gets the attributes {@code io.github.senderwhitelist.verdict} ({@code listed},
 * {@code not-listed}, {@code unavailable}), {@code io.github.senderwhitelist.reason} and, when an
 * entry decided, {@code io.github.senderwhitelist.entry}. Without {@code onWhitelisted} and {@code
 * onNotWhitelisted} nothing else is done. With {@code <header>on</header>}, each recipient of this
 * server sees its verdict in the header {@code X-Sender-Whitelist}. The null sender is never
 * listed. A mail whose sender counts as listed for some recipients only is split. The manual has
 * all parameters.
 *
 * <p>The mailet never throws, because James would bounce the mail or try it again and again. After
 * any {@link Throwable}, also {@link StackOverflowError} and {@link OutOfMemoryError}, the mail
 * goes on as {@code unavailable}, and its sender does not count as listed.
 */
public class SenderWhitelist extends GenericMailet {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderWhitelist.class);
    private static final String NAME = "SenderWhitelist";
    private static final String ON_WHITELISTED = "onWhitelisted";
    private static final String ON_NOT_WHITELISTED = "onNotWhitelisted";
    private static final String NOT_SPLIT =
            "Mail {} could not be split between recipients for whom its sender is listed and"
                    + " others: {}. All are treated as not listed";
    private static final ValueType<String> PROCESSOR =
            ValueType.name("the name of a processor, or leave the parameter out");

    private final FileSystem files;
    private final SharedLists shared;
    private final SenderCheck check;
    private @Nullable String onWhitelisted;
    private @Nullable String onNotWhitelisted;

    /** Null when mails get no header. */
    private @Nullable VerdictHeaders headers;

    /** Called by James' injector. */
    @Inject
    public SenderWhitelist(FileSystem files, SharedLists shared) {
        this.files = files;
        this.shared = shared;
        this.check = new SenderCheck(NAME, shared);
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(() -> open(Configuration.of(NAME, this, files)));
    }

    /** Reads the parameters and begins. */
    void open(Parameters parameters) throws SettingException {
        onWhitelisted = parameters.given(ON_WHITELISTED, PROCESSOR);
        onNotWhitelisted = parameters.given(ON_NOT_WHITELISTED, PROCESSOR);
        SecretKey sealKey = HeaderKey.ifWanted(parameters);
        headers =
                sealKey == null
                        ? null
                        : new VerdictHeaders(
                                new HeaderSeal(sealKey),
                                CheckParameters.recipientTags(parameters),
                                shared.users());
        check.open(parameters, domain -> getMailetContext().isLocalServer(Domain.of(domain)));
    }

    /**
     * Returns the processors that the configuration names, so that James checks at its start that
     * it has them.
     */
    @Override
    public Collection<ProcessingState> requiredProcessingState() {
        return Stream.of(ON_WHITELISTED, ON_NOT_WHITELISTED)
                .map(this::getInitParameter)
                .filter(Objects::nonNull)
                .map(String::strip)
                .map(ProcessingState::new)
                .toList();
    }

    @Override
    public void service(Mail mail) {
        try {
            if (headers != null) {
                VerdictHeaders.removeForged(mail);
            }
            MailVerdicts verdicts = check.judge(mail);
            Part here = split(mail, verdicts);
            mark(mail, here, verdicts);
            check.count(here.verdict());
            check.countUse(verdicts, true, recipient -> false);
            sendOn(mail, processor(here));
        } catch (Throwable e) {
            sendOn(mail, onNotWhitelisted);
            Harmless.log("Judging a mail", e);
        }
    }

    /**
     * Sends one part of a mail to its processor as a mail of its own, if its sender is listed for
     * some recipients only, and leaves the other part in this one. If a mail cannot be split, its
     * sender counts as listed for nobody. Without processors in the configuration, nothing is
     * split.
     *
     * @return the part that this mail is now
     */
    private Part split(Mail mail, MailVerdicts verdicts) {
        Part leaving = onWhitelisted != null ? verdicts.listed() : verdicts.others();
        Part staying = onWhitelisted != null ? verdicts.others() : verdicts.listed();
        if (leaving == null
                || staying == null
                || processor(leaving) == null
                || !sendCopy(mail, leaving, verdicts)) {
            return verdicts.whole();
        }
        check.count(leaving.verdict());
        mail.setRecipients(staying.recipients());
        return staying;
    }

    /**
     * Sends a part of a mail as a copy. Once James has accepted it, later failures are only logged,
     * because it cannot be called back.
     *
     * @return false when James did not accept the copy; the mail has not changed then
     */
    private boolean sendCopy(Mail mail, Part part, MailVerdicts verdicts) {
        Mail copy = null;
        try {
            copy = mail.duplicate();
            copy.setRecipients(part.recipients());
            mark(copy, part, verdicts);
            getMailetContext().sendMail(copy, processor(part));
            return true;
        } catch (Throwable e) {
            Harmless.run("Logging", () -> LOGGER.warn(NOT_SPLIT, mail.getName(), e.toString()));
            return false;
        } finally {
            Mail sent = copy;
            Harmless.run("Disposing of a copy", () -> LifecycleUtil.dispose(sent));
        }
    }

    /** Marks a mail, or a part of one, with its verdict. */
    private void mark(Mail mail, Part part, MailVerdicts verdicts) {
        if (headers != null) {
            headers.add(mail, part.each(), verdicts);
        }
        Marks.verdict(mail, part);
    }

    private @Nullable String processor(Part part) {
        return part.isListed() ? onWhitelisted : onNotWhitelisted;
    }

    /** Sends a mail to a processor; null lets it go on to the next mailet. */
    private static void sendOn(Mail mail, @Nullable String processor) {
        if (processor != null) {
            mail.setState(processor);
        }
    }

    @Override
    public void destroy() {
        check.close();
    }
}
