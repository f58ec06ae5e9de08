package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code check LISTS ADDRESS...}: prints what lists say of addresses, by the code that decides
 * about mails. Of a snapshot it reads the blocks that an answer needs, so that one address costs
 * little more than a start of Java.
 *
 * <p>The question is a mail as far as it is known, by options or from a file: if they do not say
 * it, nobody in particular gets it, and nothing has confirmed its sender. The policy is that of a
 * mailet without parameters, or of one in James' configuration, which then names the lists, too.
 */
@Command(
        description = "Reports whether lists list addresses, and which entry decides.",
        exitCodeList = {"0:all listed", "1:some not", "2:could not tell"},
        footer = {
            "  whitelist check conf/whitelist.txt alice@example.com bob@example.org",
            "  whitelist check own --to sam@here.example --explain alice@example.com",
            "  whitelist check own --message mail.eml --auth spf",
            "  whitelist check --as SenderWhitelist=own alice@example.com",
            "  whitelist check list.swl - < addresses.txt"
        })
final class CheckCommand extends ListCommand {
    private static final Policy DEFAULT =
            new Policy(
                    Subaddressing.DEFAULT,
                    InstantSource.system(),
                    Subaddressing.DEFAULT,
                    RecipientUsers.NONE);

    private static final String ASSUMED =
            "that of a mailet without parameters; --as NAME takes that of yours";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "LISTS",
            description = "Files or names of lists, with commas; '-': standard input.")
    private String lists = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "ADDRESS",
            description = "Senders; '-': standard input, one a line.")
    private List<String> senders = new ArrayList<>();

    @Option(names = "--message", description = "A file with a mail, in place of ADDRESS.")
    private @Nullable Path message;

    @Option(names = "--to", description = "Whom the mail is for.")
    private @Nullable String to;

    @Option(names = "--from", description = "The header's From: (default: ADDRESS).")
    private @Nullable String from;

    @Option(names = "--auth", description = "What has confirmed the sender: spf, dkim:DOMAIN, ...")
    private String confirmed = "";

    @Option(names = "--as", description = "The name of a mailet or matcher that decides.")
    private @Nullable String as;

    @Option(names = "--explain", description = "Say below each answer how it came about.")
    private boolean explain;

    /** The address in From:, null if it is the sender's; and the recipient as written, or none. */
    private @Nullable String author;

    private List<String> recipients = List.of();
    private int exit = Main.DONE;

    @Override
    int call() throws IOException {
        // With --as there are no LISTS, so the first argument is an address, too.
        if (as != null && !lists.isEmpty()) {
            senders.addFirst(lists);
        }
        requireQuestion();
        if (message != null) {
            readMail(message);
        }
        author = from == null ? author : address("--from", from).toString();
        recipients = to == null ? recipients : List.of(address("--to", to).toString());
        JamesFolder.Told told =
                as == null ? new JamesFolder.Told(lists, DEFAULT, ASSUMED) : james().told(as);
        boolean filters = explain || senders.contains(FileList.STANDARD_INPUT);
        List<SenderList> asked = new ArrayList<>();
        for (String name : told.lists().split(",", -1)) {
            asked.add(open(name.strip(), filters).lines());
        }
        if (explain) {
            out.println("policy: " + told.shown());
        }
        checkAll(new Whitelist(asked, told.policy()));
        return exit;
    }

    private void requireQuestion() {
        if (as == null && lists.isEmpty()) {
            throw wrong("LISTS is missing; allowed: one or more lists, or --as");
        } else if (message == null && senders.isEmpty()) {
            throw wrong("ADDRESS is missing; allowed: one or more addresses after LISTS");
        } else if (message != null && !senders.isEmpty()) {
            throw wrong("--message: allowed without ADDRESS, since the mail has one");
        } else if (lists.equals("-") && senders.contains("-")) {
            throw wrong("LISTS and ADDRESS are both '-'; allowed: one of the two");
        }
    }

    /** Answers for each sender in turn, and for each line of standard input when it comes. */
    private void checkAll(Whitelist whitelist) throws IOException {
        out.table("%-36s %-12s %-16s %s", "address", "verdict", "reason", "entry");
        for (String sender : senders) {
            if (!sender.equals(FileList.STANDARD_INPUT)) {
                check(whitelist, HiddenCharacters.strip(sender));
                continue;
            }
            InputLines input = new InputLines(InputLines.standardInput(out));
            for (String line = input.next(); line != null; line = input.next()) {
                check(whitelist, line);
            }
        }
    }

    /** Prints an answer. The worst one of all decides the exit code. */
    private void check(Whitelist whitelist, String text) {
        Verdict verdict = new Verdict.Unavailable(new IOException(ListLine.NOT_UTF_8));
        List<String> steps = List.of();
        if (text.indexOf('\ufffd') < 0) {
            Decision decision = whitelist.decide(facts(whitelist, text), explain);
            verdict = decision.verdicts().getFirst();
            steps = decision.steps();
        }
        if (verdict instanceof Verdict.Failed(var cause)) {
            throw new IllegalStateException(cause);
        } else if (verdict instanceof Verdict.Unavailable(var cause)) {
            err.complain(Text.shown(text) + ": could not tell: " + cause.getMessage());
        } else if (Sender.parse(text) instanceof Sender.Nobody(Reason reason, String why)
                && reason == Reason.MALFORMED) {
            err.complain(why);
        }
        String entry = verdict.entry() == null ? "" : verdict.entry().toString();
        out.row(text, verdict.word(), verdict.reason().label(), entry);
        if (explain) {
            out.below(steps);
        }
        // In the order of the exit codes.
        List<String> worse = List.of(Verdict.LISTED, Verdict.NOT_LISTED, Verdict.UNAVAILABLE);
        exit = Math.max(exit, worse.indexOf(verdict.word()));
    }

    private MailFacts facts(Whitelist whitelist, String sender) {
        try {
            return MailFacts.parse(
                    sender, author, recipients, confirmed, whitelist.policy().isLocal());
        } catch (IllegalArgumentException e) {
            throw wrong("--auth: " + e.getMessage());
        }
    }

    /**
     * Reads the header of a delivered mail: its sender in {@code Return-Path}, or else From:, and
     * whom it was delivered to. Not what confirmed the sender, which anybody can write into a mail.
     */
    private void readMail(Path file) throws IOException {
        int maxBytes = 4 << 20; // more than mail servers accept
        String text;
        try (InputStream in = Disk.LOCAL.open(OthersFolders.readable(file)).input()) {
            text = new String(in.readNBytes(maxBytes), ISO_8859_1);
        }
        // A line that begins with white space continues the field before it.
        String[] fields = text.split("\r?\n\r?\n", 2)[0].split("\r?\n(?![ \t])", -1);
        Address seen = FromHeader.mailbox(values(fields, "From"));
        author = seen == null ? "" : seen.toString();
        List<String> paths = values(fields, "Return-Path");
        if (seen == null && paths.isEmpty()) {
            throw new IOException(
                    "%s: no mail that says who sent it; it has no Return-Path: and no clear From:"
                            .formatted(file));
        }
        senders.add(paths.isEmpty() ? author : withoutBrackets(paths.getFirst()));
        List<String> delivered = values(fields, "Delivered-To");
        recipients =
                delivered.isEmpty() ? List.of() : List.of(withoutBrackets(delivered.getFirst()));
    }

    /** Returns the values of all fields of a name, without white space around. */
    private static List<String> values(String[] fields, String name) {
        return Stream.of(fields)
                .map(field -> field.split(":", 2))
                .filter(field -> field.length == 2 && field[0].strip().equalsIgnoreCase(name))
                .map(field -> field[1].strip())
                .toList();
    }

    /** Returns an address as trace fields have it; {@code <>}, which is the null sender, stays. */
    private static String withoutBrackets(String path) {
        return FromHeader.readable(path).replaceFirst("(?s)^<(.+)>$", "$1");
    }
}
