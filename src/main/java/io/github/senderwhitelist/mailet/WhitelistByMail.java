package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.bymail.CommandAddress;
import io.github.senderwhitelist.mailet.bymail.CommandAnswer;
import io.github.senderwhitelist.mailet.bymail.OwnEntries;
import io.github.senderwhitelist.mailet.bymail.SealedSubject;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.HourlyQuota;
import io.github.senderwhitelist.mailet.server.HourlyQuota.Used;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.RecipientAliases;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.mailet.settings.LimitParameters;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import javax.crypto.SecretKey;

/**
 * A mailet by which users see and change their own entries by mail. A user who has logged in writes
 * {@code add bob@example.com} to the whitelist's address, is asked whether this is meant, and
 * replies {@code yes}.
 *
 * <p>Programs send mails for a user because a stranger wants it: {@code List-Unsubscribe} chooses
 * address, subject and text. So the question goes to the user alone, and only a reply to it changes
 * anything.
 *
 * <pre>{@code
 * <mailet match="All" class="io.github.senderwhitelist.mailet.WhitelistByMail">
 *   <list>own</list>
 *   <address>whitelist</address>
 * </mailet>
 * }</pre>
 *
 * <p>It stands before RecipientRewriteTable, and before {@link LearnCorrespondents}. The mail ends
 * here for the whitelist's address, and goes on to its other recipients. Mails of others, automatic
 * mails, and mails that cannot be answered go on as if it were not there.
 *
 * <p>Only the user who has logged in is answered, whatever the mail names as its sender. The answer
 * has the null sender, so nothing answers it.
 */
public class WhitelistByMail extends GenericMailet {
    private static final String NAME = "WhitelistByMail";
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistByMail.class);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final FileSystem files;
    private final SharedLists shared;
    private final InstantSource clock;
    private volatile @Nullable State state;

    /** What there is between start and stop. */
    private record State(
            CommandAddress address,
            OwnEntries.Limits limits,
            ListDefinition definition,
            LivingList list,
            HourlyQuota<Key> quota,
            SealedSubject subject) {}

    /** Called by James' injector. */
    @Inject
    public WhitelistByMail(FileSystem files, SharedLists shared) {
        this(files, shared, InstantSource.system());
    }

    /** Takes the clock of a test. */
    WhitelistByMail(FileSystem files, SharedLists shared, InstantSource clock) {
        this.files = files;
        this.shared = shared;
        this.clock = clock;
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(() -> open(Configuration.of(NAME, this, files)));
    }

    /** Reads the parameters and begins. */
    void open(Parameters all) throws SettingException {
        ListDefinition.Living definition = ListParameters.changed(all, shared.named());
        CommandAddress address = CommandAddress.read(all);
        int maxPerHour = all.number("maxPerHour", ValueType.whole(0, 1_000), "20");
        OwnEntries.Limits limits =
                new OwnEntries.Limits(
                        all.number("maxEntries", ValueType.whole(0, 10_000), "1000"),
                        LimitParameters.maxNewPerDay(all));
        SecretKey sealKey = HeaderKey.read(all, Disk.LOCAL);
        all.refuseUnread();
        state =
                new State(
                        address,
                        limits,
                        definition,
                        shared.acquireLiving(NAME, definition),
                        new HourlyQuota<>(maxPerHour, clock),
                        new SealedSubject(new HeaderSeal(sealKey)));
    }

    @Override
    public void service(Mail mail) {
        State now = state;
        try {
            if (now != null) {
                serve(now, mail);
            }
        } catch (Throwable e) {
            Harmless.log("Reading commands in a mail", e);
        }
    }

    private void serve(State now, Mail mail) throws MessagingException, IOException {
        List<MailAddress> others = new ArrayList<>();
        MailAddress asked = null;
        for (MailAddress recipient : mail.getRecipients()) {
            if (now.address.is(recipient, getMailetContext()::isLocalServer)) {
                asked = recipient;
            } else {
                others.add(recipient);
            }
        }
        if (asked == null || !answer(now, mail, asked)) {
            return;
        }
        if (others.isEmpty()) {
            mail.setState(Mail.GHOST);
        } else {
            mail.setRecipients(others);
        }
    }

    /** Does what a mail asks for and answers it. Returns whether the mail is done with. */
    private boolean answer(State now, Mail mail, MailAddress asked)
            throws MessagingException, IOException {
        SentMail sent = new SentMail(mail, getMailetContext()::isLocalServer);
        Address user = sent.user();
        MailAddress to = user == null ? null : RecipientAliases.mailAddress(user.toString());
        if (user == null || to == null) {
            LOGGER.debug("mail={}: no user has logged in to send it", mail.getName());
            return false;
        }
        String automatic = sent.whyAutomatic();
        if (automatic != null) {
            LOGGER.debug("mail={}: not read for commands: {}", mail.getName(), automatic);
            return false;
        }
        Used used = now.quota.use(user.key());
        if (now.quota.isOver(used)) {
            LOGGER.atLevel(now.quota.isFirstOver(used) ? Level.WARN : Level.DEBUG)
                    .log(
                            "mail={}: {} has sent more mails with commands than are allowed in an"
                                    + " hour; none is read before {}",
                            mail.getName(),
                            user,
                            TIME.format(used.end()));
            return true;
        }
        MimeMessage message = mail.getMessage();
        CommandAnswer answer = emptyAnswer(now, user, asked);
        String foreign = whyNotOwn(sent, message, user);
        if (foreign == null) {
            answer.obey(message);
        } else {
            answer.add(foreign);
        }
        if (now.quota.isLast(used)) {
            answer.add("");
            answer.add(
                    "This is the last answer before "
                            + TIME.format(used.end())
                            + ". Mails until then are not read.");
        }
        getMailetContext()
                .sendMail(MailAddress.nullSender(), List.of(to), answer.mail(message, to));
        return true;
    }

    private CommandAnswer emptyAnswer(State now, Address user, MailAddress asked) {
        OwnEntries entries =
                new OwnEntries(
                        now.list,
                        new ListQuestions(shared, shared.users()),
                        user,
                        now.limits,
                        clock.instant());
        return new CommandAnswer(user, asked, entries, now.subject, clock);
    }

    /** Returns why the mail may not be the user's own, for the user; null when it is. */
    private @Nullable String whyNotOwn(SentMail sent, MimeMessage message, Address user)
            throws MessagingException {
        if (sent.isRedirected()) {
            return "Your mail was not read: it is a redirected one (Resent-), which somebody else"
                    + " has written. Nothing has changed.";
        }
        Address from = HeaderFrom.mailbox(message);
        try {
            if (from != null && (from.equals(user) || user.equals(shared.users().userOf(from)))) {
                return null;
            }
        } catch (IOException e) {
            LOGGER.warn("A mail of {} with commands was not read: {}", user, e.getMessage());
            return "Your mail was not read: the server cannot find out whether its sender (From:)"
                    + " is you. Nothing has changed. Send it again later.";
        }
        return "Your mail was not read: its sender (From:) is not "
                + user
                + ", nor an alias of it. Nothing has changed. Send it from this address.";
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            shared.release(now.definition);
        }
    }

    @Override
    public String getMailetInfo() {
        return "Lets users change their whitelist by mail";
    }
}
