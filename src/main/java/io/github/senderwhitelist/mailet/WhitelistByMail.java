package io.github.senderwhitelist.mailet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.bymail.CommandAnswer;
import io.github.senderwhitelist.mailet.bymail.OwnEntries;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.RecipientAliases;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

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
 * mails, and mails that cannot be answered go on as if it were not there. Only the user who has
 * logged in is answered, whatever the mail names as its sender.
 */
public class WhitelistByMail extends WhitelistMailet {
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistByMail.class);
    private static final ValueType<String> ADDRESS =
            new ValueType<>(
                    text -> Optional.of(text).filter(local -> local.matches("[^@\\s]+")),
                    "what stands before the '@' of an address, as in whitelist");

    /**
     * From how many mails of a user commands are read in an hour, and answered. Some mail programs
     * answer every mail in the user's name, and would do so for ever.
     */
    private static final int MAX_AN_HOUR = 50;

    /** How many mails each user has sent in the hour that began with the first. */
    private final Cache<Key, AtomicInteger> counts =
            Caffeine.newBuilder()
                    .maximumSize(100_000)
                    .expireAfterWrite(Duration.ofHours(1))
                    .executor(Runnable::run)
                    .build();

    private volatile @Nullable State state;

    private record State(
            String address,
            int maxNewPerDay,
            ListDefinition definition,
            LivingList list,
            HeaderSeal seal) {}

    @Inject
    public WhitelistByMail(SharedLists shared) {
        super(shared);
    }

    @Override
    void open(Parameters all) {
        ListDefinition.Living definition = ListParameters.changed(all, shared.named());
        String address = all.value("address", ADDRESS, "whitelist");
        int maxNewPerDay = ListParameters.maxNewPerDay(all);
        HeaderSeal seal = HeaderSeal.of(all);
        all.refuseUnread();
        LivingList list = (LivingList) shared.acquire(definition, name + ": parameter list");
        state = new State(address, maxNewPerDay, definition, list, seal);
    }

    @Override
    public void service(Mail mail) {
        State now = state;
        try {
            if (now != null) {
                serve(now, mail);
            }
        } catch (Throwable e) {
            Harmless.log("Reading a command in a mail", e);
        }
    }

    private void serve(State now, Mail mail) throws MessagingException, IOException {
        Map<Boolean, List<MailAddress>> to =
                mail.getRecipients().stream()
                        .collect(Collectors.partitioningBy(each -> isAddress(now, each)));
        List<MailAddress> asked = to.getOrDefault(true, List.of());
        List<MailAddress> others = to.getOrDefault(false, List.of());
        if (!asked.isEmpty() && answer(now, mail, asked.getFirst())) {
            if (others.isEmpty()) {
                mail.setState(Mail.GHOST);
            } else {
                mail.setRecipients(others);
            }
        }
    }

    private boolean isAddress(State now, MailAddress to) {
        return to.getLocalPart().equalsIgnoreCase(now.address)
                && getMailetContext().isLocalServer(to.getDomain());
    }

    /** Does what a mail asks for and answers it. Returns whether the mail is done with. */
    private boolean answer(State now, Mail mail, MailAddress asked)
            throws MessagingException, IOException {
        SentMail sent = new SentMail(mail, getMailetContext()::isLocalServer);
        Address user = sent.user();
        MailAddress to = user == null ? null : RecipientAliases.mailAddress(user.toString());
        String why = user == null ? "no user has logged in to send it" : sent.whyAutomatic();
        if (user == null || to == null || why != null) {
            LOGGER.debug("mail={}: not read for a command: {}", mail.getName(), why);
            return false;
        }
        int count = counts.get(user.key(), first -> new AtomicInteger()).incrementAndGet();
        if (count > MAX_AN_HOUR) {
            LOGGER.debug("mail={}: not read, since {} has sent too many", mail.getName(), user);
            return true;
        }
        OwnEntries entries =
                new OwnEntries(now.list, shared, user, now.maxNewPerDay, shared.clock().instant());
        String unread = whyNotRead(sent, user, count);
        CommandAnswer answer =
                unread == null
                        ? CommandAnswer.to(mail.getMessage(), asked, entries, now.seal)
                        : new CommandAnswer(
                                "Your mail was not read: " + unread + ". Nothing has changed.");
        getMailetContext()
                .sendMail(
                        MailAddress.nullSender(),
                        List.of(to),
                        answer.mail(mail.getMessage(), asked, to, Date.from(entries.now())));
        return true;
    }

    /** Returns why a mail is not read, for the user; null if it is, since it is the user's own. */
    private @Nullable String whyNotRead(SentMail sent, Address user, int count)
            throws MessagingException {
        if (count == MAX_AN_HOUR) {
            LOGGER.warn("{} has sent {} mails with commands in an hour", user, count);
            return "you have sent "
                    + count
                    + " in an hour. Until it is over, no other is read or answered";
        }
        if (sent.isRedirected()) {
            return "it is a redirected one (Resent-), which somebody else has written";
        }
        Address from = MailAuthentication.mailbox(sent.mail().getMessage());
        try {
            if (from != null && (from.equals(user) || user.equals(shared.users().userOf(from)))) {
                return null;
            }
        } catch (IOException e) {
            LOGGER.warn("A mail of {} with a command was not read: {}", user, e.getMessage());
            return "the server cannot find out whether its sender (From:) is you; send it again"
                    + " later";
        }
        return "its sender (From:) is not " + user + ", nor an alias of it; send it from there";
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            shared.release(now.definition);
        }
    }
}
