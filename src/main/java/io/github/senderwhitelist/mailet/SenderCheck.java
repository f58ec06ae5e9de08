package io.github.senderwhitelist.mailet;

import com.google.common.base.Suppliers;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Judged;
import io.github.senderwhitelist.usage.UsageCounter;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The check of a mail's sender against lists, by a mailet or a matcher. Mailet and matcher have one
 * each. A check never throws, and never waits for a refresh.
 */
public final class SenderCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderCheck.class);

    private static final String NOT_OPEN =
            "its lists are not open, because the server starts or stops";

    private final String owner;
    private final SharedLists shared;

    /** Decides on mails; null while the check is not open. */
    private volatile @Nullable Whitelist whitelist;

    private volatile @Nullable Judging judging;
    private List<ListDefinition> acquired = List.of();

    private volatile List<UsageCounter> usage = List.of();

    /** Makes a check that is not open yet, of a mailet or matcher of this name. */
    public SenderCheck(String owner, SharedLists shared) {
        this.owner = owner;
        this.shared = shared;
    }

    /**
     * Loads the lists that the parameters name, so that mails can be judged and explained. All
     * other parameters were read before; {@code isLocal} knows this server's domains.
     */
    public synchronized void open(Parameters parameters, Predicate<String> isLocal) {
        Whitelist loaded = load(parameters, isLocal);
        List<String> names = acquired.stream().map(ListDefinition::name).toList();
        judging = new Judging(CheckParameters.name(parameters), names, loaded);
        shared.judging().add(judging);
        if (loaded.policy().required() != AuthRequirement.NONE) {
            MissingResults.warnWithoutResults(owner, shared.named().configuration());
        }
    }

    /** Loads the lists for {@link #mayBeListed}: what asks only that has nothing to explain. */
    synchronized Whitelist load(Parameters parameters, Predicate<String> isLocal) {
        Policy policy = CheckParameters.policy(parameters, shared.clock(), shared.users(), isLocal);
        CheckParameters.name(parameters);
        List<ListDefinition> opened = new ArrayList<>();
        List<SenderList> lists = new ArrayList<>();
        try {
            for (ListDefinition list : ListParameters.asked(parameters, shared.named())) {
                lists.add(shared.acquire(list, owner + ": parameter " + ListParameters.WHITELIST));
                opened.add(list);
            }
        } catch (SettingException e) {
            opened.forEach(shared::release);
            throw e;
        }
        acquired = opened;
        usage = opened.stream().map(shared::usage).toList();
        Whitelist loaded = new Whitelist(lists, policy);
        whitelist = loaded;
        return loaded;
    }

    /** Returns whether a sender may be listed, by the filters alone; also if not open. */
    boolean mayBeListed(Mail mail) {
        Whitelist now = whitelist;
        return now == null || now.mayBeListed(envelope(mail), () -> MailAuthentication.from(mail));
    }

    private static Sender envelope(Mail mail) {
        return Sender.parse(mail.getMaybeSender().asString(""));
    }

    /** Judges a mail for each recipient: as listed for nobody after an error, or if not open. */
    public MailVerdicts judge(Mail mail) {
        Whitelist now = whitelist;
        List<MailAddress> recipients = List.of();
        Verdict none = new Unavailable(new IOException(NOT_OPEN));
        try {
            recipients = List.copyOf(mail.getRecipients());
            if (now != null) {
                return judge(mail, recipients, now);
            }
        } catch (Throwable e) {
            none = new Failed(e);
        }
        MailVerdicts verdicts =
                MailVerdicts.none(
                        recipients,
                        none,
                        now == null ? SenderIdentity.ENVELOPE : now.policy().identity());
        remember(mail, null, null, "", verdicts);
        return verdicts;
    }

    private MailVerdicts judge(Mail mail, List<MailAddress> recipients, Whitelist whitelist) {
        Policy policy = whitelist.policy();
        MailAuthentication authentication = new MailAuthentication(mail, policy.isLocal());
        MailFacts facts =
                new MailFacts(
                        envelope(mail),
                        Suppliers.memoize(() -> MailAuthentication.from(mail)),
                        recipients.stream().map(MailAddress::asString).toList(),
                        authentication);
        Decision decision = whitelist.decide(facts, LOGGER.isTraceEnabled());
        decision.steps()
                .forEach(step -> LOGGER.trace("mail={} {}", mail.getName(), Text.escaped(step)));
        MailVerdicts verdicts =
                MailVerdicts.of(
                        recipients,
                        decision.verdicts(),
                        policy,
                        () -> authentication.ofAll(decision.senders()));
        boolean wasFromAsked = policy.identity() != SenderIdentity.ENVELOPE;
        Sender from = wasFromAsked ? decision.senders().getLast() : null;
        remember(mail, facts.envelope(), from, authentication.found(), verdicts);
        return verdicts;
    }

    /** Keeps verdicts for who asks for the last ones; senders are null if they are not known. */
    private void remember(
            Mail mail,
            @Nullable Sender parsed,
            @Nullable Sender from,
            String confirmed,
            MailVerdicts verdicts) {
        try {
            Sender envelope = parsed == null ? envelope(mail) : parsed;
            Address mailbox = from instanceof Known(Address address) ? address : null;
            String as = judging == null ? owner : judging.name();
            Instant now = shared.clock().instant();
            for (Judged each : verdicts.each()) {
                MailAddress to = each.recipient();
                shared.recent()
                        .add(now, mail, envelope, mailbox, confirmed, to, each.verdict(), as);
            }
        } catch (Throwable e) {
            Harmless.log("Remembering verdicts", e);
        }
    }

    void count(Verdict verdict) {
        shared.metrics().count(verdict);
        shared.lastHour().count(verdict, shared.clock().instant());
    }

    /**
     * Counts the lines that decided on a mail: each once as used, and as rescued for each recipient
     * who would not have got the mail.
     *
     * @param isFirst whether nobody has judged the mail before; else only what was rescued counts
     * @param isKept returns whether something else says of a recipient that the mail is spam
     */
    void countUse(MailVerdicts verdicts, boolean isFirst, Predicate<MailAddress> isKept) {
        if (isFirst) {
            shared.usage().judged(verdicts.listed() != null);
        }
        Set<UsedLine> used = new HashSet<>();
        for (Judged each : verdicts.each()) {
            Entry entry = each.verdict().used();
            if (entry != null) {
                UsedLine line = UsedLine.of(entry);
                int mails = isFirst && used.add(line) ? 1 : 0;
                int rescued = each.isListed() && isKept.test(each.recipient()) ? 1 : 0;
                if (rescued > 0) {
                    shared.usage().rescued(line);
                }
                if (mails + rescued > 0) {
                    usage.get(each.verdict().list()).count(line, mails, rescued);
                }
            }
        }
    }

    /** Releases the lists. Mails that are judged later get {@code unavailable}. */
    public synchronized void close() {
        whitelist = null;
        if (judging != null) {
            shared.judging().remove(judging);
        }
        acquired.forEach(shared::release);
        acquired = List.of();
    }
}
