package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.HourlyQuota.Used;

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

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lets users see and change their own entries by mail. A user who has logged in writes {@code add
 * bob@example.com} to the whitelist's address, and is answered.
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

    /** How long the commands of a mail may take. Those that are left are not tried. */
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final FileSystem files;
    private final SharedLists shared;
    private final InstantSource clock;
    private volatile @Nullable State state;

    /** What there is between start and stop. */
    private record State(
            ByMailParameters parameters,
            ListDefinition definition,
            LivingList list,
            HourlyQuota quota) {}

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
        Parameters all = new Parameters(NAME, Parameters.values(this), files);
        ByMailParameters parameters = ByMailParameters.parse(all);
        ListDefinition.Living definition = all.living(shared.named());
        state =
                new State(
                        parameters,
                        definition,
                        shared.acquireLiving(NAME, definition),
                        new HourlyQuota(parameters.maxPerHour(), clock));
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
            if (now.parameters.isFor(recipient, getMailetContext()::isLocalServer)) {
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
            LOGGER.warn(
                    "mail={}: {} has sent more mails with commands than are allowed in an hour; it"
                            + " was not read",
                    mail.getName(),
                    user);
            return true;
        }
        MimeMessage message = mail.getMessage();
        List<String> lines = new ArrayList<>(done(now, user, asked, MailCommands.of(message)));
        if (now.quota.isLast(used)) {
            lines.add("");
            lines.add(
                    "This is the last answer before "
                            + TIME.format(used.end())
                            + ". Mails until then are not read.");
        }
        getMailetContext()
                .sendMail(
                        MailAddress.nullSender(),
                        List.of(to),
                        MailAnswer.to(message, asked, to, lines, clock.instant()));
        return true;
    }

    /** Does what commands ask for. Returns what is to be answered. */
    private List<String> done(State now, Address user, MailAddress asked, MailCommands asks) {
        OwnEntries entries =
                new OwnEntries(
                        now.list,
                        new ListQuestions(shared, shared.users()),
                        user,
                        now.parameters.maxEntries());
        List<String> lines = new ArrayList<>();
        Instant end = clock.instant().plus(MOST_TIME);
        boolean failed = false;
        boolean help = asks.commands().stream().allMatch(MailCommand.Wrong.class::isInstance);
        for (MailCommand command : asks.commands()) {
            if (command instanceof MailCommand.Help) {
                help = true;
            } else if (failed || clock.instant().isAfter(end)) {
                lines.add(command + ": not tried. Send it again later.");
            } else {
                failed = !add(lines, command, entries);
            }
        }
        if (asks.remark() != null) {
            lines.add(asks.remark());
        }
        if (help) {
            lines.addAll(help(asked));
        }
        return lines;
    }

    /** Adds what comes of a command. Returns false when the database has failed. */
    private static boolean add(List<String> lines, MailCommand command, OwnEntries entries) {
        try {
            List<String> said =
                    switch (command) {
                        case MailCommand.Show() -> entries.show();
                        case MailCommand.Add(Address sender) -> List.of(entries.add(sender.key()));
                        case MailCommand.Remove(Address sender) ->
                                List.of(entries.remove(sender.key()));
                        case MailCommand.Wrong(String line, String reason) ->
                                List.of("not done; " + reason + ". Nothing has changed.");
                        case MailCommand.Help() -> List.of();
                    };
            lines.add((command + ": " + said.getFirst()).strip());
            lines.addAll(said.subList(1, said.size()));
            return true;
        } catch (IOException e) {
            LOGGER.warn("{} failed, and the user is told so: {}", command, e.getMessage());
            lines.add(
                    command
                            + ": perhaps not done. The list does not answer. Send it again later;"
                            + " twice does no harm.");
            return false;
        }
    }

    private static List<String> help(MailAddress asked) {
        return List.of(
                "",
                "Write one command a line to " + asked.asString() + ", or one as the subject:",
                "",
                "  show             shows all entries for you",
                "  add ADDRESS      lists this sender for you",
                "  remove ADDRESS   removes what you have added, and what was learned of you",
                "  help             shows this",
                "",
                "Write as plain text. The first line that is no command ends them.");
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
