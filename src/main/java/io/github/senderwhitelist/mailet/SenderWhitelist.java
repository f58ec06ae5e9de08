package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.Destinations;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.Judgement;
import io.github.senderwhitelist.mailet.verdict.Judgement.Judged;
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

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
    private static final ValueType<String> PROCESSOR =
            new ValueType<>(
                    text -> Optional.of(text).filter(name -> !name.isEmpty()),
                    "the name of a processor, or leave the parameter out",
                    "name of a processor");

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
        this(files, shared, InstantSource.system());
    }

    /** Takes the clock of a test. */
    SenderWhitelist(FileSystem files, SharedLists shared, InstantSource clock) {
        this.files = files;
        this.shared = shared;
        this.check = new SenderCheck(NAME, shared, clock);
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(() -> open(Configuration.of(NAME, this, files)));
    }

    /** Reads the parameters and begins. */
    void open(Parameters parameters) throws SettingException {
        onWhitelisted = parameters.given(ON_WHITELISTED, PROCESSOR);
        onNotWhitelisted = parameters.given(ON_NOT_WHITELISTED, PROCESSOR);
        SecretKey sealKey = HeaderKey.ifWanted(parameters, Disk.LOCAL);
        headers =
                sealKey == null
                        ? null
                        : new VerdictHeaders(
                                new HeaderSeal(sealKey),
                                new Destinations(
                                        CheckParameters.recipientTags(parameters), shared.users()));
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
            decide(mail);
        } catch (Throwable e) {
            go(mail, onNotWhitelisted);
            Harmless.log("Judging a mail", e);
        }
    }

    private void decide(Mail mail) {
        if (headers != null) {
            VerdictHeaders.removeForged(mail);
        }
        Judgement judgement = check.judge(mail);
        Verdict listed = judgement.forListed();
        Verdict others = judgement.forOthers();
        if (listed != null && others != null && split(mail, judgement, listed, others)) {
            return;
        }
        // If a mail could not be split, its sender counts as listed for nobody.
        addHeaders(mail, judgement.each(mail.getRecipients()), judgement);
        report(mail, judgement.whole(), others == null);
        go(mail, others == null ? onWhitelisted : onNotWhitelisted);
    }

    /**
     * Sends one part of a mail to its processor as a mail of its own, and leaves the other part in
     * this one. Without processors in the configuration, nothing is split.
     *
     * @return false when the mail was not split and has not changed
     */
    private boolean split(Mail mail, Judgement judgement, Verdict listed, Verdict others) {
        if (onWhitelisted != null) {
            if (!send(mail, judgement, listed, true, onWhitelisted)) {
                return false;
            }
            keep(mail, judgement, false);
            check.count(listed);
            report(mail, others, false);
            go(mail, onNotWhitelisted);
            return true;
        }
        if (onNotWhitelisted == null || !send(mail, judgement, others, false, onNotWhitelisted)) {
            return false;
        }
        keep(mail, judgement, true);
        check.count(others);
        report(mail, listed, true);
        return true;
    }

    /** Makes a mail the part for some of its recipients. */
    private void keep(Mail mail, Judgement judgement, boolean listed) {
        List<Judged> part = judgement.part(listed);
        mail.setRecipients(part.stream().map(Judged::recipient).toList());
        addHeaders(mail, part, judgement);
    }

    private void addHeaders(Mail mail, List<Judged> part, Judgement judgement) {
        if (headers != null) {
            headers.add(mail, part, judgement.asked());
        }
    }

    /**
     * Sends a copy of a mail to some of its recipients. Once James has accepted the copy, later
     * failures are only logged, because it cannot be called back.
     *
     * @return false when James did not accept the copy
     */
    private boolean send(
            Mail mail,
            Judgement judgement,
            Verdict verdict,
            boolean countsAsListed,
            String processor) {
        Mail copy = null;
        try {
            copy = mail.duplicate();
            keep(copy, judgement, countsAsListed);
            Marks.verdict(copy, verdict, countsAsListed);
            getMailetContext().sendMail(copy, processor);
            return true;
        } catch (Throwable e) {
            Harmless.run("Logging", () -> reportUnsplit(mail, e));
            return false;
        } finally {
            Mail sent = copy;
            Harmless.run("Disposing of a copy", () -> LifecycleUtil.dispose(sent));
        }
    }

    private static void reportUnsplit(Mail mail, Throwable cause) {
        LOGGER.warn(
                "Mail {} could not be split between recipients for whom its sender is listed and"
                        + " others: {}. All are treated as not listed",
                mail.getName(),
                cause.toString());
        LOGGER.debug("mail={}: not split", mail.getName(), cause);
    }

    /** Marks a mail, or a part of one, with its verdict and counts it. */
    private void report(Mail mail, Verdict verdict, boolean countsAsListed) {
        Marks.verdict(mail, verdict, countsAsListed);
        check.count(verdict);
    }

    /** Sends a mail to a processor; null lets it go on to the next mailet. */
    private static void go(Mail mail, @Nullable String processor) {
        if (processor != null) {
            mail.setState(processor);
        }
    }

    @Override
    public void destroy() {
        check.close();
    }

    @Override
    public String getMailetInfo() {
        return "Sender whitelist";
    }
}
