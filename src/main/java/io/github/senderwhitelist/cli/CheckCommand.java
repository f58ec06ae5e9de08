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

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** {@code check LIST ADDRESS...}: prints what the list says about each address. */
final class CheckCommand extends Subcommand {
    private static final String UNWRAP = "--unwrap";
    private static final String SRS_SECRET = "--srs-secret";

    private final Given<String> list =
            argument(
                    0,
                    "LIST",
                    Values.any(),
                    "A text list, plain or gzip, or a snapshot (.swl); '-': a text list on standard"
                            + " input.");

    private final Given<List<String>> addresses =
            arguments(1, "ADDRESS", "Addresses; '-' reads them from standard input, one a line.");

    private final Given<Subaddressing> subaddressing =
            option(
                    "--subaddress-delimiter",
                    "C",
                    Subaddressing.VALUES,
                    "+",
                    "The delimiter before the tag of the sender in user+tag@domain, or none"
                            + " (default: ${DEFAULT-VALUE}).");

    private final Given<Subaddressing> recipientTags =
            option(
                    "--recipient-delimiter",
                    "C",
                    Subaddressing.VALUES,
                    "+",
                    "The delimiter before the tag of the recipient, or none (default:"
                            + " ${DEFAULT-VALUE}, as in James 3.9).");

    private final Given<String> recipient =
            option(
                    "--to",
                    "RECIPIENT",
                    Values.address(),
                    "The recipient of the mail. Without it, entries with to= do not apply.");

    private final Given<Instant> time =
            option(
                    "--at",
                    "TIME",
                    Values.moment(),
                    "The time it is, in UTC: 2027-01-31T18:30Z, or a day's noon: 2027-01-31"
                            + " (default: now).");

    private final Given<Set<AuthRequirement>> confirmed =
            option(
                    "--auth",
                    "METHODS",
                    Values.methods(),
                    "What has confirmed the sender: spf, dkim, or both with a comma between them"
                            + " (default: nothing).");

    private final Given<AuthRequirement> required =
            option(
                    "--require-authentication",
                    "METHOD",
                    AuthRequirement.VALUES,
                    "none",
                    "What entries without auth= require: none, spf, dkim, any (default:"
                            + " ${DEFAULT-VALUE}).");

    private final Given<Set<Unwrapping.Form>> unwrap =
            option(
                    UNWRAP,
                    "FORMS",
                    Unwrapping.VALUES,
                    "none",
                    "The wrappings that are taken off a sender: batv, srs, verp, separated by"
                            + " commas (default: ${DEFAULT-VALUE}).");

    private final Given<Path> secrets =
            option(
                    SRS_SECRET,
                    "FILE",
                    Values.file(),
                    "File with the secrets that verify SRS addresses, one a line; needed with srs"
                            + " in --unwrap.");

    private final Given<Boolean> explain =
            flag(
                    "--explain",
                    "Print below each answer how it came about: keys, filter, entries,"
                            + " conditions.");

    CheckCommand() {
        super(
                "check",
                "Reports for each address whether the list lists it:"
                        + " ADDRESS<TAB>listed|not-listed|unavailable<TAB>ENTRY.");
        exitCodes("0:all listed", "1:some not", "2:could not tell");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() throws IOException {
        Policy policy = policy();
        Authentication authentication = authentication();
        if (list.value().equals("-") && addresses.value().contains("-")) {
            throw wrong(
                    "both LIST and ADDRESS are '-'; allowed: standard input for one of the two");
        }
        return new Checker(
                        policy, authentication, recipient.orNull(), explain.value(), out(), err())
                .check(list.value(), addresses.value());
    }

    private Policy policy() throws IOException {
        Instant fixed = time.orNull();
        return new Policy(
                subaddressing.value(),
                unwrapping(),
                required.value(),
                fixed == null ? InstantSource.system() : InstantSource.fixed(fixed),
                recipientTags.value(),
                RecipientUsers.NONE);
    }

    private Unwrapping unwrapping() throws IOException {
        Path file = secrets.orNull();
        try {
            return new UnwrappingOptions(UNWRAP, SRS_SECRET)
                    .unwrapping(
                            unwrap.value(),
                            file == null ? null : () -> TextFile.lines(Disk.LOCAL, file));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private Authentication authentication() {
        Set<AuthRequirement> met = EnumSet.of(AuthRequirement.NONE);
        if (confirmed.isThere()) {
            met.add(AuthRequirement.ANY);
            met.addAll(confirmed.value());
        }
        return (asked, sender) -> met.contains(asked);
    }
}
