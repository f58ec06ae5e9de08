package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.whitelist.Verdict;
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
import java.util.List;
import java.util.Objects;
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
            description = "A text list, plain or gzip, or a snapshot (.swl).")
    private @Nullable Path list;

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

    private int exit = Main.DONE;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        Subaddressing subaddressing =
                Subaddressing.parse(delimiter)
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                command.commandLine(),
                                                "--subaddress-delimiter "
                                                        + delimiter
                                                        + "; allowed: "
                                                        + Subaddressing.allowed()));
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try (OpenedList opened =
                OpenedList.open(Objects.requireNonNull(list), addresses.contains("-"))) {
            opened.warnings().forEach(err::println);
            Whitelist whitelist = new Whitelist(List.of(opened::generation), subaddressing);
            for (String address : addresses) {
                if (address.equals("-")) {
                    checkInput(whitelist, out, err);
                } else {
                    check(whitelist, address, out, err);
                }
            }
            out.flush();
        }
        return exit;
    }

    private void checkInput(Whitelist whitelist, PrintWriter out, PrintWriter err)
            throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) {
                check(whitelist, line.strip(), out, err);
            }
        }
    }

    private void check(Whitelist whitelist, String text, PrintWriter out, PrintWriter err) {
        if (text.isEmpty() || text.equals("<>")) {
            // The null sender is never listed.
            answer(text, NotListed.STRANGER, out, err);
            return;
        }
        switch (AddressSyntax.parse(text)) {
            case WellFormed(var address) -> answer(text, whitelist.check(address), out, err);
            case Malformed(String reason) -> {
                err.println(reason);
                answer(text, NotListed.STRANGER, out, err);
            }
        }
    }

    private void answer(String text, Verdict verdict, PrintWriter out, PrintWriter err) {
        String shown = Text.shown(text);
        switch (verdict) {
            case Listed(var entry) -> out.println(shown + "\tlisted\t" + entry);
            case NotListed(var denial) -> {
                out.println(shown + "\tnot-listed\t" + (denial == null ? "" : denial));
                exit = Math.max(exit, Main.NEGATIVE);
            }
            case Unavailable(var cause) -> {
                err.println(shown + ": could not tell: " + cause.getMessage());
                exit = Main.FAILURE;
            }
        }
    }
}
