package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** {@code check LISTS ADDRESS...}: prints what lists say of addresses. */
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
            names = "--at",
            paramLabel = "TIME",
            description = "The time, in UTC: 2027-01-31, or 2027-01-31T18:30Z (default: now).")
    private @Nullable Instant time;

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "Decide by lists and parameters of this mailet or matcher of James.")
    private @Nullable String as;

    @Option(names = "--explain", description = "Say below each answer how it came about.")
    private boolean explain;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Mixin private Place place = new Place();

    /** Which tags are taken off and so on, where no mailet says it. */
    private static final String ASSUMED =
            "policy: that of a mailet without parameters; --as NAME takes that of yours";

    private int exit = Main.DONE;
    private boolean asksDatabase;

    @Override
    boolean leavesNothing() {
        return !asksDatabase;
    }

    @Override
    int call() throws IOException {
        List<String> senders = new ArrayList<>(addresses);
        InstantSource clock = time == null ? InstantSource.system() : InstantSource.fixed(time);
        if (as == null) {
            requireSenders(senders);
            if (lists.equals("-") && senders.contains("-")) {
                throw wrong(
                        "both LISTS and ADDRESS are '-'; allowed: standard input for one of the"
                                + " two");
            }
            return check(lists, policy(clock), ASSUMED, senders);
        }
        if (!lists.isEmpty()) {
            senders.addFirst(lists);
        }
        requireSenders(senders);
        ConfiguredMailets.Told told = ConfiguredMailets.find(place.james(), as, clock);
        return check(told.lists(), told.policy(), "policy: " + told.shown(), senders);
    }

    private static Policy policy(InstantSource clock) {
        return new Policy(
                Subaddressing.DEFAULT,
                Unwrapping.NONE,
                AuthRequirement.NONE,
                clock,
                Subaddressing.DEFAULT,
                RecipientUsers.NONE);
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
    }

    private int check(String names, Policy told, String shown, List<String> senders)
            throws IOException {
        MailFile mail = message == null ? null : MailFile.read(message);
        String recipient = to != null ? to.toString() : mail == null ? null : mail.recipient();
        String author = from != null ? from.toString() : mail == null ? null : mail.from();
        boolean filters = explain || senders.contains("-");
        try (OpenLists opened = OpenLists.open(names, place, filters, err());
                Table table =
                        new Table(
                                out(),
                                Table.Form.of(json),
                                "address",
                                "verdict",
                                "reason",
                                "entry")) {
            asksDatabase = opened.hasDatabase();
            if (explain && !json) {
                out().println(shown);
            }
            ListCheck check =
                    new ListCheck(
                            new Whitelist(opened.lists(), told),
                            author,
                            recipient == null ? List.of() : List.of(recipient),
                            confirmed == null ? "" : value("--auth", confirmed, Values.CONFIRMED),
                            explain);
            if (mail != null) {
                check(check, mail.sender(), table);
            }
            for (String sender : senders) {
                if (sender.equals(ListFiles.STANDARD_INPUT)) {
                    InputLines input = new InputLines(new StandardInput(), table);
                    for (String line = input.next(); line != null; line = input.next()) {
                        check(check, line, table);
                    }
                } else {
                    check(check, sender, table);
                }
            }
        }
        return exit;
    }

    private void check(ListCheck check, String written, Table table) {
        String text = HiddenCharacters.strip(written);
        ListCheck.Answer answer = check.answer(text);
        if (!answer.note().isEmpty()) {
            err().report(answer.note());
        }
        Verdict verdict = answer.verdict();
        table.row(
                answer.steps(),
                List.of(text, verdict.word(), verdict.reason().label(), answer.entry()));
        int code =
                switch (verdict.word()) {
                    case Verdict.LISTED -> Main.DONE;
                    case Verdict.NOT_LISTED -> Main.NEGATIVE;
                    default -> Main.FAILURE;
                };
        exit = Math.max(exit, code);
    }
}
