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
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
 * {@code check LISTS ADDRESS...}: prints what lists say of addresses. The code that decides is the
 * one that decides about mails. Of a snapshot it reads the blocks that an answer needs, so that one
 * address costs little more than a start of Java.
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
final class CheckCommand extends Subcommand {
    /** The policy of a mailet without parameters. */
    private static final Policy DEFAULT =
            new Policy(
                    Subaddressing.DEFAULT,
                    InstantSource.system(),
                    Subaddressing.DEFAULT,
                    RecipientUsers.NONE);

    /** Which tags are taken off and so on, where no mailet says it. */
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
    private List<String> addresses = List.of();

    @Option(names = "--message", description = "A file with a mail, in place of ADDRESS.")
    private @Nullable Path message;

    @Option(names = "--to", description = "Whom the mail is for.")
    private @Nullable String to;

    @Option(names = "--from", description = "The header's From: (default: ADDRESS).")
    private @Nullable String from;

    @Option(names = "--auth", description = "What has confirmed the sender: spf, dkim:DOMAIN, ...")
    private @Nullable String confirmed;

    @Option(names = "--as", description = "The name of a mailet or matcher that decides.")
    private @Nullable String as;

    @Option(names = "--explain", description = "Say below each answer how it came about.")
    private boolean explain;

    @Mixin private Place place = new Place();

    /** The address in From:, null if it is the sender's; and the recipient as written, or none. */
    private @Nullable String author;

    private List<String> recipients = List.of();
    private int exit = Main.DONE;

    @Override
    int call() throws IOException {
        List<String> senders = new ArrayList<>(addresses);
        // With --as there are no LISTS, so the first argument is an address, too.
        if (as != null && !lists.isEmpty()) {
            senders.addFirst(lists);
        }
        if (as == null && lists.isEmpty()) {
            throw wrong("LISTS is missing; allowed: one or more lists, or --as");
        }
        if (message == null && senders.isEmpty()) {
            throw wrong("ADDRESS is missing; allowed: one or more addresses after LISTS");
        }
        if (lists.equals("-") && senders.contains("-")) {
            throw wrong("LISTS and ADDRESS are both '-'; allowed: one of the two");
        }
        if (message != null) {
            if (!senders.isEmpty()) {
                throw wrong("--message: allowed without ADDRESS, since the mail has one");
            }
            MailFile mail = MailFile.read(message);
            senders.add(mail.sender());
            author = mail.from();
            recipients = mail.recipients();
        }
        author = from == null ? author : address("--from", from).toString();
        recipients = to == null ? recipients : List.of(address("--to", to).toString());
        JamesFolder.Told told =
                as == null ? new JamesFolder.Told(lists, DEFAULT, ASSUMED) : place.james().told(as);
        boolean filters = explain || senders.contains(FileList.STANDARD_INPUT);
        List<OpenList> opened = new ArrayList<>();
        try {
            for (String name : told.lists().split(",", -1)) {
                opened.add(place.find(name.strip()).open(filters, err));
            }
            if (explain) {
                out.println("policy: " + told.shown());
            }
            List<SenderList> asked = opened.stream().map(OpenList::lines).toList();
            checkAll(new Whitelist(asked, told.policy()), senders);
        } finally {
            for (OpenList each : opened) {
                each.close();
            }
        }
        return exit;
    }

    private void checkAll(Whitelist whitelist, List<String> senders) throws IOException {
        Table table =
                new Table(out, "%-36s %-12s %-16s %s", "address", "verdict", "reason", "entry");
        for (String sender : senders) {
            if (sender.equals(FileList.STANDARD_INPUT)) {
                InputLines input = new InputLines(InputLines.standardInput(), out);
                for (String line = input.next(); line != null; line = input.next()) {
                    check(whitelist, line, table);
                }
            } else {
                check(whitelist, HiddenCharacters.strip(sender), table);
            }
        }
    }

    private void check(Whitelist whitelist, String text, Table table) {
        if (text.indexOf('\ufffd') >= 0) {
            err.report(Text.shown(text) + ": could not tell: " + ListLine.NOT_UTF_8);
            row(table, text, new Verdict.Unavailable(new IOException()), "");
            return;
        }
        Decision decision = whitelist.decide(facts(whitelist, text), explain);
        Verdict verdict = decision.verdicts().getFirst();
        if (verdict instanceof Verdict.Failed(var cause)) {
            throw new IllegalStateException(cause);
        }
        if (verdict instanceof Verdict.Unavailable(var cause)) {
            err.report(Text.shown(text) + ": could not tell: " + cause.getMessage());
        } else if (Sender.parse(text) instanceof Sender.Nobody(Reason reason, String why)
                && reason == Reason.MALFORMED) {
            err.report(why);
        }
        row(table, text, verdict, verdict.entry() == null ? "" : verdict.entry().toString());
        table.below(explain ? decision.steps() : List.of());
    }

    /** Returns the facts about a mail of a sender that options, or a mail in a file, tell. */
    private MailFacts facts(Whitelist whitelist, String sender) {
        try {
            return MailFacts.parse(
                    sender,
                    author,
                    recipients,
                    confirmed == null ? "" : confirmed,
                    whitelist.policy().isLocal());
        } catch (IllegalArgumentException e) {
            throw wrong("--auth: " + e.getMessage());
        }
    }

    /** Prints an answer. The worst one of all decides the exit code. */
    private void row(Table table, String text, Verdict verdict, String entry) {
        table.row(text, verdict.word(), verdict.reason().label(), entry);
        int each =
                switch (verdict.word()) {
                    case Verdict.LISTED -> Main.DONE;
                    case Verdict.NOT_LISTED -> Main.NEGATIVE;
                    default -> Main.FAILURE;
                };
        exit = Math.max(exit, each);
    }

    /**
     * A delivered mail in a file, as far as checks ask for it. What confirmed the sender is not
     * read from it: anybody can write that into a mail.
     *
     * @param sender the envelope sender: what {@code Return-Path} says, or else From:
     * @param from the address in From:, or an empty string if that is unclear
     * @param recipients whom it was delivered to, or none if it does not say so
     */
    private record MailFile(String sender, String from, List<String> recipients) {
        /** How much of a header is read, in bytes: more than mail servers accept. */
        private static final int MAX_BYTES = 4 << 20;

        /** Reads the header of a mail. */
        static MailFile read(Path file) throws IOException {
            String text;
            try (InputStream in = DiskInput.open(Disk.LOCAL, OthersFolders.readable(file))) {
                text = new String(in.readNBytes(MAX_BYTES), ISO_8859_1);
            }
            String header = text.split("\r?\n\r?\n", 2)[0];
            Address from = FromHeader.mailbox(fields(header, "From"));
            String seen = from == null ? "" : from.toString();
            List<String> paths = fields(header, "Return-Path");
            if (seen.isEmpty() && paths.isEmpty()) {
                throw new IOException(
                        file
                                + ": no mail that says who sent it; it has no Return-Path: and no"
                                + " clear From:");
            }
            return new MailFile(
                    paths.isEmpty() ? seen : withoutBrackets(paths.getFirst()),
                    seen,
                    fields(header, "Delivered-To").stream()
                            .limit(1)
                            .map(MailFile::withoutBrackets)
                            .toList());
        }

        /** Returns the values of the fields of a name, which may be folded. */
        private static List<String> fields(String header, String name) {
            return Stream.of(header.split("\r?\n(?![ \t])", -1))
                    .map(field -> field.split(":", 2))
                    .filter(field -> field.length == 2 && field[0].strip().equalsIgnoreCase(name))
                    .map(field -> field[1].strip())
                    .toList();
        }

        private static String withoutBrackets(String path) {
            String utf8 = FromHeader.decoded(path);
            return (utf8 == null ? path : utf8).replaceFirst("(?s)^<(.+)>$", "$1");
        }
    }
}
