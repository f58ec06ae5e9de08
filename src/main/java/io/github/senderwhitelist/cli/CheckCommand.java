package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.SenderRewriting;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.Unwrapping;
import io.github.senderwhitelist.address.Unwrapping.Form;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.whitelist.Authentication;
import io.github.senderwhitelist.whitelist.Explanation;
import io.github.senderwhitelist.whitelist.Policy;
import io.github.senderwhitelist.whitelist.Question;
import io.github.senderwhitelist.whitelist.Reason;
import io.github.senderwhitelist.whitelist.Verdict;
import io.github.senderwhitelist.whitelist.Verdict.Failed;
import io.github.senderwhitelist.whitelist.Verdict.Listed;
import io.github.senderwhitelist.whitelist.Verdict.NotListed;
import io.github.senderwhitelist.whitelist.Verdict.Unavailable;
import io.github.senderwhitelist.whitelist.Whitelist;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * {@code check LIST ADDRESS...}: what the list says of each address, by the same code that decides
 * for mails.
 */
@Command(
        name = "check",
        description =
                "Tells for each address whether the list lists it:"
                        + " ADDRESS<TAB>listed|not-listed<TAB>ENTRY.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all listed", "1:some not", "2:could not tell"})
final class CheckCommand implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "LIST",
            description =
                    "A text list, plain or gzip, or a snapshot (.swl); '-': a text list on standard"
                            + " input.")
    private @Nullable String list;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "ADDRESS",
            description = "Addresses; '-' reads them from standard input, one a line.")
    private List<String> addresses = List.of();

    @Option(
            names = "--subaddress-delimiter",
            paramLabel = "C",
            defaultValue = "+",
            description =
                    "What begins the tag of user+tag@domain, or none (default: ${DEFAULT-VALUE}).")
    private String delimiter = "+";

    @Option(
            names = "--to",
            paramLabel = "RECIPIENT",
            description = "Whom the mail is for; nobody in particular unless given.")
    private @Nullable String recipient;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            converter = Numbers.Moment.class,
            description =
                    "The time it is, in UTC: 2027-01-31T18:30:00Z, or a day's noon: 2027-01-31"
                            + " (default: now).")
    private @Nullable Instant time;

    @Option(
            names = "--auth",
            split = ",",
            paramLabel = "METHOD",
            description = "What has confirmed the sender: spf, dkim (default: nothing).")
    private List<String> confirmed = List.of();

    @Option(
            names = "--require-authentication",
            paramLabel = "METHOD",
            defaultValue = "none",
            description =
                    "What entries without auth= require: none, spf, dkim, any (default:"
                            + " ${DEFAULT-VALUE}).")
    private String required = "none";

    @Option(
            names = "--unwrap",
            paramLabel = "FORMS",
            defaultValue = "none",
            description =
                    "What is taken off a sender: batv, srs, verp, separated by commas (default:"
                            + " ${DEFAULT-VALUE}).")
    private String unwrap = "none";

    @Option(
            names = "--srs-secret",
            paramLabel = "FILE",
            description = "Secrets that SRS addresses are verified with, one a line.")
    private @Nullable Path secrets;

    @Option(
            names = "--explain",
            description =
                    "Print below each answer how it came about: keys, filter, entries, conditions.")
    private boolean explain;

    private int exit = Main.DONE;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        Policy policy = policy();
        Authentication authentication = authentication();
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        if ("-".equals(list) && addresses.contains("-")) {
            throw wrong("ADDRESS", "-", "standard input for either the list or the addresses");
        }
        try (OpenedList opened =
                OpenedList.open(Objects.requireNonNull(list), explain || addresses.contains("-"))) {
            opened.warnings().forEach(err::println);
            Whitelist whitelist = new Whitelist(List.of(opened::generation), policy);
            for (String address : addresses) {
                if (address.equals("-")) {
                    checkInput(whitelist, authentication, out, err);
                } else {
                    check(whitelist, address, authentication, out, err);
                }
            }
            out.flush();
        }
        return exit;
    }

    private Policy policy() throws IOException {
        Set<Form> forms =
                Unwrapping.parse(unwrap)
                        .orElseThrow(() -> wrong("--unwrap", unwrap, Unwrapping.allowed()));
        if (forms.contains(Form.SRS) != (secrets != null)) {
            throw wrong("--unwrap", unwrap, "srs together with --srs-secret FILE");
        }
        List<String> lines = secrets == null ? List.of() : TextFile.lines(Disk.LOCAL, secrets);
        return new Policy(
                Subaddressing.parse(delimiter)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                "--subaddress-delimiter",
                                                delimiter,
                                                Subaddressing.allowed())),
                new Unwrapping(
                        forms,
                        new SenderRewriting(
                                lines.stream()
                                        .map(String::strip)
                                        .filter(line -> !line.isEmpty())
                                        .toList())),
                AuthRequirement.of(required)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                "--require-authentication",
                                                required,
                                                AuthRequirement.labels())),
                time == null ? InstantSource.system() : InstantSource.fixed(time));
    }

    private Authentication authentication() {
        Set<AuthRequirement> met = EnumSet.of(AuthRequirement.NONE);
        for (String method : confirmed) {
            met.add(
                    AuthRequirement.of(method)
                            .filter(m -> m == AuthRequirement.SPF || m == AuthRequirement.DKIM)
                            .orElseThrow(() -> wrong("--auth", method, "spf, dkim, or both")));
            met.add(AuthRequirement.ANY);
        }
        return (asked, sender) -> met.contains(asked);
    }

    private ParameterException wrong(String option, String value, String allowed) {
        return new ParameterException(
                Objects.requireNonNull(spec).commandLine(),
                option + " " + Text.shown(value) + "; allowed: " + allowed);
    }

    private void checkInput(
            Whitelist whitelist, Authentication authentication, PrintWriter out, PrintWriter err)
            throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) {
                check(whitelist, line.strip(), authentication, out, err);
            }
        }
    }

    private void check(
            Whitelist whitelist,
            String text,
            Authentication authentication,
            PrintWriter out,
            PrintWriter err) {
        if (text.isEmpty() || text.equals("<>")) {
            answer(text, new NotListed(Reason.NULL_SENDER, null), out, err);
            return;
        }
        switch (AddressSyntax.parse(text)) {
            case WellFormed(var address) -> {
                Explanation explanation = explain ? new Explanation() : null;
                List<String> recipients = recipient == null ? List.of() : List.of(recipient);
                Question question = new Question(address, recipients, authentication);
                answer(text, whitelist.check(question, explanation).getFirst(), out, err);
                if (explanation != null) {
                    explanation.lines().forEach(line -> out.println("    " + line));
                }
            }
            case Malformed(String reason) -> {
                err.println(reason);
                answer(text, new NotListed(Reason.MALFORMED, null), out, err);
            }
        }
    }

    private void answer(String text, Verdict verdict, PrintWriter out, PrintWriter err) {
        String shown = Text.shown(text);
        switch (verdict) {
            case Listed(var entry) -> out.println(shown + "\tlisted\t" + entry);
            case NotListed(var reason, var entry) -> {
                out.println(shown + "\tnot-listed\t" + (entry == null ? "" : entry));
                exit = Math.max(exit, Main.NEGATIVE);
            }
            case Unavailable(var cause) -> {
                err.println(shown + ": could not tell: " + cause.getMessage());
                exit = Main.FAILURE;
            }
            case Failed(var cause) -> throw new IllegalStateException(cause);
        }
    }
}
