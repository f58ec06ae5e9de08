package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code check LISTS ADDRESS...}: prints what lists say of addresses. The code that decides is the
 * one that decides about mails.
 */
@Command(
        name = "check",
        description =
                "Reports for each address whether the lists list it: address, listed, not-listed or"
                        + " unavailable, the reason, the entry that decided.",
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
                    Unwrapping.NONE,
                    AuthRequirement.NONE,
                    InstantSource.system(),
                    Subaddressing.DEFAULT,
                    RecipientUsers.NONE);

    /** Which tags are taken off and so on, where no mailet says it. */
    private static final String ASSUMED =
            "policy: that of a mailet without parameters; --as NAME takes that of yours";

    /** Stands in place of an entry if there are some, but none for everybody. */
    private static final String FOR_SOME = "(only " + Decision.FOR_SOME + "; give --to)";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "LISTS",
            description =
                    "Lists with commas between them: text lists, snapshots, names of James' lists,"
                            + " or '-', a text list on standard input. Left out with --as.")
    private String lists = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "ADDRESS",
            description = "Addresses; '-' reads them from standard input, one a line.")
    private List<String> addresses = List.of();

    @Option(
            names = "--message",
            paramLabel = "FILE",
            description = "A delivered mail in place of ADDRESS, whose header says who sent it.")
    private @Nullable Path message;

    @Option(names = "--to", paramLabel = "RECIPIENT", description = "Whom the mail is for.")
    private @Nullable Address to;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "The address in the header From: (default: that of the envelope).")
    private @Nullable Address from;

    @Option(
            names = "--auth",
            paramLabel = "METHODS",
            description = "What has confirmed the sender: spf, dkim, dkim:DOMAIN, or several.")
    private @Nullable String confirmed;

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "Decide by lists and parameters of this mailet or matcher of James.")
    private @Nullable String as;

    @Option(names = "--explain", description = "Say below each answer how it came about.")
    private boolean explain;

    @Mixin private Place place = new Place();

    /** The recipient as written, or none; and the address in From:, null if it is the sender's. */
    private List<String> recipients = List.of();

    private @Nullable String author;
    private String methods = "";
    private int exit = Main.DONE;

    @Override
    int call() throws IOException {
        List<String> senders = new ArrayList<>(addresses);
        if (as != null && !lists.isEmpty()) {
            senders.addFirst(lists);
        }
        requireSenders(senders);
        MailFile mail = message == null ? null : MailFile.read(message);
        if (mail != null) {
            senders.add(mail.sender());
            author = mail.from();
            recipients = mail.recipients();
        }
        author = from == null ? author : from.toString();
        recipients = to == null ? recipients : List.of(to.toString());
        if (as == null) {
            return check(lists, DEFAULT, ASSUMED, senders);
        }
        ConfiguredMailets.Told told = ConfiguredMailets.find(place.james(), as);
        return check(told.lists(), told.policy(), "policy: " + told.shown(), senders);
    }

    private void requireSenders(List<String> senders) {
        if (message != null && !senders.isEmpty()) {
            throw wrong("--message: allowed without ADDRESS, since the mail has one");
        }
        if (as == null && lists.isEmpty()) {
            throw wrong("LISTS is missing; allowed: one or more lists, or --as");
        }
        if (message == null && senders.isEmpty()) {
            throw wrong("ADDRESS is missing; allowed: one or more addresses after LISTS");
        }
        if (lists.equals("-") && addresses.contains("-")) {
            throw wrong(
                    "both LISTS and ADDRESS are '-'; allowed: standard input for one of the two");
        }
    }

    private int check(String names, Policy policy, String shown, List<String> senders)
            throws IOException {
        methods = confirmed == null ? "" : value("--auth", confirmed, Values.CONFIRMED);
        boolean filters = explain || senders.contains("-");
        List<OpenList> opened = new ArrayList<>();
        try (Table table = new Table(out, "address", "verdict", "reason", "entry")) {
            // A file may have a comma in its name.
            boolean isOne = !names.contains(",") || Disk.LOCAL.state(Path.of(names)).isRegular();
            for (String name : isOne ? List.of(names) : List.of(names.split(",", -1))) {
                opened.add(OpenList.open(place.find(name.strip()), filters, err));
            }
            if (explain) {
                out.println(shown);
            }
            List<SenderList> asked = opened.stream().map(OpenList::lines).toList();
            checkAll(new Whitelist(asked, policy), senders, table);
        } finally {
            for (OpenList each : opened) {
                each.close();
            }
        }
        return exit;
    }

    private void checkAll(Whitelist whitelist, List<String> senders, Table table)
            throws IOException {
        for (String sender : senders) {
            if (sender.equals(FileList.STANDARD_INPUT)) {
                InputLines input = new InputLines(InputLines.standardInput(), table);
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
            err.report(
                    Text.shown(text)
                            + ": could not tell: not UTF-8, or changed on its way here (if it is"
                            + " Latin-1: iconv -f LATIN1 -t UTF-8)");
            row(table, new Verdict.Unavailable(new IOException()), text, "", List.of());
            return;
        }
        Decision decision =
                whitelist.decide(
                        MailFacts.parse(
                                text, author, recipients, methods, whitelist.policy().isLocal()),
                        explain || recipients.isEmpty());
        Verdict verdict = decision.verdicts().getFirst();
        List<String> steps = decision.steps();
        if (verdict instanceof Verdict.Failed(var cause)) {
            throw new IllegalStateException(cause);
        }
        if (verdict instanceof Verdict.Unavailable(var cause)) {
            err.report(Text.shown(text) + ": could not tell: " + cause.getMessage());
        } else if (Sender.parse(text) instanceof Sender.Nobody(Reason reason, String why)
                && reason == Reason.MALFORMED) {
            err.report(why);
        }
        boolean isForSome =
                recipients.isEmpty()
                        && steps.stream().anyMatch(step -> step.contains(Decision.FOR_SOME));
        String entry =
                verdict.entry() != null ? verdict.entry().toString() : isForSome ? FOR_SOME : "";
        row(table, verdict, text, entry, explain ? steps : List.of());
    }

    private void row(Table table, Verdict verdict, String text, String entry, List<String> steps) {
        table.row(steps, text, verdict.word(), verdict.reason().label(), entry);
        exit =
                Math.max(
                        exit,
                        switch (verdict.word()) {
                            case Verdict.LISTED -> Main.DONE;
                            case Verdict.NOT_LISTED -> Main.NEGATIVE;
                            default -> Main.FAILURE;
                        });
    }
}
