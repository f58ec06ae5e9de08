package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.mailet.verdict.Marks;
import io.github.senderwhitelist.mailet.verdict.VerdictHeaders;

import jakarta.inject.Inject;

import org.apache.james.lifecycle.api.LifecycleUtil;
import org.apache.mailet.Mail;
import org.apache.mailet.ProcessingState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.Objects;
import java.util.stream.Stream;

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
 * entry decided, {@code io.github.senderwhitelist.entry}. Without processors nothing else is done.
 * With {@code <header>on</header>}, each recipient of this server sees its verdict in the header
 * {@code X-Sender-Whitelist}. The null sender is never listed. A mail whose sender counts as listed
 * for some recipients only is split. The manual has all parameters.
 *
 * <p>The mailet never throws, because James would bounce the mail or try it again and again. After
 * any {@link Throwable} the mail goes on as {@code unavailable}, and its sender as not listed.
 */
public class SenderWhitelist extends WhitelistMailet {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderWhitelist.class);
    private static final String ON_WHITELISTED = "onWhitelisted";
    private static final String ON_NOT_WHITELISTED = "onNotWhitelisted";
    private static final String NOT_SPLIT =
            "Mail {} could not be split between recipients for whom its sender is listed and"
                    + " others: {}. All are treated as not listed";
    private static final ValueType<String> PROCESSOR =
            ValueType.name("the name of a processor, or leave the parameter out");

    private final SenderCheck check;
    private @Nullable String onWhitelisted;
    private @Nullable String onNotWhitelisted;

    /** Null when mails get no header. */
    private @Nullable VerdictHeaders headers;

    @Inject
    public SenderWhitelist(SharedLists shared) {
        super(shared);
        this.check = new SenderCheck(name, shared);
    }

    @Override
    void open(Parameters parameters) {
        onWhitelisted = parameters.given(ON_WHITELISTED, PROCESSOR);
        onNotWhitelisted = parameters.given(ON_NOT_WHITELISTED, PROCESSOR);
        HeaderSeal seal = HeaderSeal.ifWanted(parameters);
        Subaddressing tags = CheckParameters.recipientTags(parameters);
        headers = seal == null ? null : new VerdictHeaders(seal, tags, shared.users());
        check.open(parameters, this::isLocal);
    }

    /** Returns the processors that are named, which James looks for at its start. */
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
        String processor = onNotWhitelisted;
        try {
            if (headers != null) {
                VerdictHeaders.removeForged(mail);
            }
            MailVerdicts verdicts = check.judge(mail);
            Part here = split(mail, verdicts);
            processor = processor(here);
            mark(mail, here, verdicts);
            check.count(here.verdict());
            check.countUse(verdicts, true, recipient -> false);
        } catch (Throwable e) {
            Harmless.log("Judging a mail", e);
        }
        if (processor != null) {
            mail.setState(processor);
        }
    }

    /**
     * Sends one part of a mail to its processor as a mail of its own, if its sender is listed for
     * some recipients only. Returns the part that this mail is now. If a mail cannot be split, its
     * sender counts as listed for nobody. Without processors, nothing is split.
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
        mail.setRecipients(staying.recipients());
        check.count(leaving.verdict());
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
            LOGGER.warn(NOT_SPLIT, mail.getName(), e.toString());
            return false;
        } finally {
            Mail sent = copy;
            Harmless.run("Disposing of a copy", () -> LifecycleUtil.dispose(sent));
        }
    }

    /** Marks a mail, or a part of one, with its verdict. It goes on unmarked when that fails. */
    private void mark(Mail mail, Part part, MailVerdicts verdicts) {
        try {
            Marks.verdict(mail, part);
            if (headers != null) {
                headers.add(mail, part.each(), verdicts);
            }
        } catch (Throwable e) {
            Harmless.log("Marking a mail", e);
        }
    }

    private @Nullable String processor(Part part) {
        return part.isListed() ? onWhitelisted : onNotWhitelisted;
    }

    @Override
    public void destroy() {
        check.close();
    }
}
