package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code check LISTS ADDRESS...}: prints what lists say of addresses. */
final class CheckCommand extends Subcommand {
    private static final String AS = "--as";
    private static final String TAGS = "--subaddress-delimiter";
    private static final String RECIPIENT_TAGS = "--recipient-delimiter";
    private static final String TIME = "--at";
    private static final String REQUIRE = "--require-authentication";
    private static final String UNWRAP = "--unwrap";
    private static final String SRS_SECRET = "--srs-secret";

    private final Given<String> lists =
            argument(
                    0,
                    "LISTS",
                    Values.any(),
                    "Lists with commas between them: text lists, plain or gzip; snapshots (.swl);"
                            + " '-', a text list on standard input; with --conf or --database,"
                            + " names of lists. Left out with --as.");

    private final Given<List<String>> addresses =
            argumentsIfAny(
                    1, "ADDRESS", "Addresses; '-' reads them from standard input, one a line.");

    private final Given<Path> conf =
            option(
                    "--conf",
                    "DIR",
                    Values.file(),
                    "James' folder conf: whitelists.xml there defines lists by name, and"
                            + " mailetcontainer.xml the mailets for --as.");

    private final PlaceOptions place = new PlaceOptions(this) {};

    private final Given<String> as =
            option(
                    AS,
                    "NAME",
                    Values.name(),
                    "With --conf: the mailet or matcher whose lists and policy decide, by its"
                            + " parameter name.");

    private final Given<String> from =
            option(
                    "--from",
                    "ADDRESS",
                    Values.address(),
                    "The address in the mail's header From: (default: that of the envelope).");

    private final Given<Subaddressing> subaddressing =
            option(
                    TAGS,
                    "C",
                    Subaddressing.VALUES,
                    "+",
                    "The delimiter before the tag of the sender in user+tag@domain, or none"
                            + " (default: ${DEFAULT-VALUE}).");

    private final Given<Subaddressing> recipientTags =
            option(
                    RECIPIENT_TAGS,
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
                    TIME,
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
                    REQUIRE,
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
                "Reports for each address whether the lists list it:"
                        + " ADDRESS<TAB>listed|not-listed|unavailable<TAB>REASON<TAB>ENTRY. With"
                        + " --as, by the lists and the policy of a mailet of James.");
        exitCodes("0:all listed", "1:some not", "2:could not tell");
    }

    @Override
    boolean leavesNothing() {
        return !place.isInDatabase();
    }

    @Override
    int call() throws IOException {
        place.requireConsistent("The names of lists are the first argument");
        String name = as.orNull();
        if (name != null && !conf.isThere()) {
            throw wrong(AS + ": allowed only with --conf");
        }
        return name == null ? checkLists() : checkAs(name);
    }

    /** Returns the addresses when no lists stand before them. */
    private List<String> allSenders() {
        List<String> senders = new ArrayList<>(List.of(lists.value()));
        senders.addAll(addresses.or(List.of()));
        return senders;
    }

    /** Rejects options that do not apply to the lists' place. */
    private void refuse(String why, String... options) {
        for (String option : options) {
            if (isGiven(option)) {
                throw wrong(option + ": " + why);
            }
        }
    }

    private int checkLists() throws IOException {
        List<String> senders = addresses.or(List.of());
        if (senders.isEmpty()) {
            throw wrong("ADDRESS is missing; allowed: one or more addresses after LISTS");
        }
        List<String> names = names(lists.value());
        if (names.contains("-") && senders.contains("-")) {
            throw wrong(
                    "both LISTS and ADDRESS are '-'; allowed: standard input for one of the two");
        }
        return check(names, policy(), assumed(), senders);
    }

    /** Checks by the lists and the policy of a mailet or matcher that is not running. */
    private int checkAs(String name) throws IOException {
        String why = "the mailet has its own in mailetcontainer.xml";
        refuse(why, TAGS, RECIPIENT_TAGS, REQUIRE, UNWRAP, SRS_SECRET);
        Parameters parameters = DefinedMailets.find(conf.value(), name);
        try {
            CheckParameters of =
                    CheckParameters.read(parameters, clock(), RecipientUsers.NONE, domain -> false);
            return check(
                    names(ListParameters.whitelist(parameters)),
                    of.policy(),
                    "policy: " + of.shown(),
                    allSenders());
        } catch (SettingException e) {
            throw new IOException(DefinedMailets.file(conf.value()) + ": " + e.getMessage(), e);
        }
    }

    private int check(List<String> names, Policy policy, String shown, List<String> senders)
            throws IOException {
        boolean filters = explain.value() || senders.contains("-");
        try (OpenedLists opened = OpenedLists.open(names, conf.orNull(), place, filters)) {
            opened.warnings().forEach(err()::println);
            if (explain.value()) {
                out().println(shown);
            } else if (ProgressDisplay.onTerminal()) {
                err().println(shown);
            }
            String to = recipient.orNull();
            return new Checker(
                            new ListCheck(
                                    new Whitelist(opened.lists(), policy),
                                    from.orNull(),
                                    to == null ? List.of() : List.of(to),
                                    confirmations(),
                                    explain.value()),
                            explain.value(),
                            out(),
                            err())
                    .check(senders);
        }
    }

    /** Returns the lists that are named. A file may have a comma in its name. */
    private static List<String> names(String written) throws IOException {
        if (!written.contains(",") || Disk.LOCAL.state(Path.of(written)).isRegular()) {
            return List.of(written);
        }
        return Stream.of(written.split(",", -1)).map(String::strip).toList();
    }

    /** Returns the policy that is assumed, as options. */
    private String assumed() {
        return "policy: "
                + String.join(
                        " ",
                        TAGS,
                        subaddressing.value().label(),
                        RECIPIENT_TAGS,
                        recipientTags.value().label(),
                        REQUIRE,
                        required.value().label(),
                        UNWRAP,
                        unwrap.value().isEmpty()
                                ? "none"
                                : unwrap.value().stream()
                                        .map(Unwrapping.Form::label)
                                        .collect(Collectors.joining(",")));
    }

    private Policy policy() throws IOException {
        return new Policy(
                subaddressing.value(),
                unwrapping(),
                required.value(),
                clock(),
                recipientTags.value(),
                RecipientUsers.NONE);
    }

    private InstantSource clock() {
        Instant fixed = time.orNull();
        return fixed == null ? InstantSource.system() : InstantSource.fixed(fixed);
    }

    private Unwrapping unwrapping() throws IOException {
        Path file = secrets.orNull();
        if (file != null) {
            OthersFolders.refuseLinks(file);
        }
        try {
            List<String> lines = List.of();
            if (file != null && unwrap.value().contains(Unwrapping.Form.SRS)) {
                lines = TextFile.lines(Disk.LOCAL, file);
            }
            return Unwrapping.of(unwrap.value(), file == null ? null : lines, UNWRAP, SRS_SECRET);
        } catch (IOException e) {
            throw new IOException(
                    SRS_SECRET
                            + ": "
                            + e.getMessage()
                            + "; allowed: a file of secrets in UTF-8, one a line",
                    e);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private String confirmations() {
        return confirmed.or(Set.of()).stream()
                .map(AuthRequirement::label)
                .collect(Collectors.joining(","));
    }
}
