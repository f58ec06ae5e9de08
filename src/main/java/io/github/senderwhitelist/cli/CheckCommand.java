package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.UnwrappingOptions;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** {@code check LIST ADDRESS...}: prints what the list says about each address. */
@Command(
        name = "check",
        description =
                "Tells for each address whether the list lists it:"
                        + " ADDRESS<TAB>listed|not-listed|unavailable<TAB>ENTRY.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all listed", "1:some not", "2:could not tell"})
final class CheckCommand extends Subcommand {
    private static final String UNWRAP = "--unwrap";
    private static final String SRS_SECRET = "--srs-secret";

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
            converter = Values.Delimiter.class,
            description =
                    "The delimiter before the tag of the sender in user+tag@domain, or none"
                            + " (default: ${DEFAULT-VALUE}).")
    private Subaddressing subaddressing = Subaddressing.NONE;

    @Option(
            names = "--recipient-delimiter",
            paramLabel = "C",
            defaultValue = "+",
            converter = Values.Delimiter.class,
            description =
                    "The delimiter before the tag of the recipient, or none (default:"
                            + " ${DEFAULT-VALUE}, as in James 3.9).")
    private Subaddressing recipientTags = Subaddressing.NONE;

    @Option(
            names = "--to",
            paramLabel = "RECIPIENT",
            converter = Values.Recipient.class,
            description = "The recipient of the mail. Without it, entries with to= do not apply.")
    private @Nullable String recipient;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            converter = Values.Moment.class,
            description =
                    "The time it is, in UTC: 2027-01-31T18:30Z, or a day's noon: 2027-01-31"
                            + " (default: now).")
    private @Nullable Instant time;

    @Option(
            names = "--auth",
            paramLabel = "METHODS",
            converter = Values.Methods.class,
            description =
                    "What has confirmed the sender: spf, dkim, or both with a comma between them"
                            + " (default: nothing).")
    private @Nullable String confirmed;

    @Option(
            names = "--require-authentication",
            paramLabel = "METHOD",
            defaultValue = "none",
            converter = Values.Requirement.class,
            description =
                    "What entries without auth= require: none, spf, dkim, any (default:"
                            + " ${DEFAULT-VALUE}).")
    private AuthRequirement required = AuthRequirement.NONE;

    @Option(
            names = UNWRAP,
            paramLabel = "FORMS",
            defaultValue = "none",
            converter = Values.Forms.class,
            description =
                    "The wrappings that are taken off a sender: batv, srs, verp, separated by"
                            + " commas (default: ${DEFAULT-VALUE}).")
    private String unwrap = "none";

    @Option(
            names = SRS_SECRET,
            paramLabel = "FILE",
            converter = Values.File.class,
            description =
                    "File with the secrets that verify SRS addresses, one a line; needed with srs"
                            + " in --unwrap.")
    private @Nullable Path secrets;

    @Option(
            names = "--explain",
            description =
                    "Print below each answer how it came about: keys, filter, entries, conditions.")
    private boolean explain;

    @Override
    public Integer call() throws IOException {
        Policy policy = policy();
        Authentication authentication = authentication();
        if ("-".equals(list) && addresses.contains("-")) {
            throw wrong(
                    "both LIST and ADDRESS are '-'; allowed: standard input for one of the two");
        }
        return new Checker(policy, authentication, recipient, explain, out(), err())
                .check(Objects.requireNonNull(list), addresses);
    }

    private Policy policy() throws IOException {
        return new Policy(
                subaddressing,
                unwrapping(),
                required,
                time == null ? InstantSource.system() : InstantSource.fixed(time),
                recipientTags,
                RecipientUsers.NONE);
    }

    private Unwrapping unwrapping() throws IOException {
        Path file = secrets;
        try {
            return new UnwrappingOptions(UNWRAP, SRS_SECRET)
                    .unwrapping(
                            Unwrapping.VALUES.parse(unwrap).orElseThrow(),
                            file == null ? null : () -> TextFile.lines(Disk.LOCAL, file));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private Authentication authentication() {
        Set<AuthRequirement> met = EnumSet.of(AuthRequirement.NONE);
        if (confirmed != null) {
            met.add(AuthRequirement.ANY);
            for (String method : confirmed.split(",", -1)) {
                met.add(AuthRequirement.VALUES.parse(method).orElseThrow());
            }
        }
        return (asked, sender) -> met.contains(asked);
    }
}
