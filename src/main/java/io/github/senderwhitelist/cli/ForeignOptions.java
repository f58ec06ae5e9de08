package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.importer.ForeignFormat;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.List;

/** The options for lists of other programs. */
final class ForeignOptions {
    @Option(
            names = "--from",
            paramLabel = "FORMAT",
            description =
                    "Read lists of another program: postfix, spamassassin, spamassassin-sql,"
                            + " rspamd, amavis, mailscanner, m365, james38; a plain list of"
                            + " addresses and domains: list; or an address book: vcard, csv, ldif.")
    private @Nullable ForeignFormat format;

    @Option(
            names = "--no-parent-domains",
            description = "With postfix: a domain does not match its subdomains.")
    private boolean noParentDomains;

    @Option(
            names = "--recipient-delimiter",
            paramLabel = "C",
            description = "With postfix: its recipient_delimiter (default: none).")
    private @Nullable Subaddressing delimiter;

    @Option(
            names = "--auth",
            paramLabel = "METHOD",
            description = "With rspamd: what must confirm its senders: spf, dkim, any.")
    private @Nullable AuthRequirement auth;

    @Option(
            names = "--for",
            paramLabel = "USER",
            description = "With an address book: the address of its user.")
    private @Nullable Address owner;

    /**
     * Lists as this program reads them.
     *
     * @param lists text lists
     * @param imported how they were made of foreign ones, or null
     */
    record Converted(List<TextSource> lists, @Nullable Import imported) {
        /** Prints what was imported, and what the administrator must set for it. */
        void sumUp(Subcommand command) {
            if (imported == null) {
                return;
            }
            imported.counts().forEach(command.out::println);
            Subaddressing tags = imported.subaddressing();
            if (imported.hasAddresses() && !tags.equals(Subaddressing.DEFAULT)) {
                command.err.println(
                        ("tags count as in the other program only with the parameter"
                                        + " subaddressDelimiter %s; with +, the default,"
                                        + " alice@example.com also lists alice+news@example.com")
                                .formatted(tags.label()));
            }
        }
    }

    /** Returns lists as they are, or converted from what another program has. */
    Converted converted(List<TextSource> sources, Subcommand command) {
        require(!noParentDomains, "--no-parent-domains", ForeignFormat.POSTFIX, command);
        require(delimiter == null, "--recipient-delimiter", ForeignFormat.POSTFIX, command);
        require(auth == null, "--auth", ForeignFormat.RSPAMD, command);
        if (auth == AuthRequirement.NONE) {
            throw command.wrong("--auth: 'none'; allowed: spf, dkim, any");
        }
        boolean isBook = format != null && format.isAddressBook();
        if ((owner != null) != isBook) {
            throw command.wrong(
                    isBook
                            ? "--for is missing; allowed: the address of the user whose address"
                                    + " book it is"
                            : "--for: allowed only with --from vcard, csv or ldif");
        }
        if (format == null) {
            return new Converted(sources, null);
        }
        Import.Settings settings =
                new Import.Settings(
                        !noParentDomains,
                        delimiter == null ? Subaddressing.NONE : delimiter,
                        auth == null ? AuthRequirement.NONE : auth,
                        owner);
        List<Import.Source> foreign =
                sources.stream()
                        .map(list -> new Import.Source(list.name(), list.opener()))
                        .toList();
        Import imported = new Import(format, settings, foreign, command.err::report);
        String name = sources.size() == 1 ? sources.getFirst().name() : "the imported lists";
        return new Converted(List.of(new TextSource(name, -1, () -> imported)), imported);
    }

    private void require(boolean isAbsent, String option, ForeignFormat only, Subcommand command) {
        if (!isAbsent && format != only) {
            throw command.wrong(option + ": allowed only with --from " + only);
        }
    }
}
