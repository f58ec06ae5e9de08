package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.List;

/** The options for lists of other programs, which {@link Import} converts while they are read. */
final class ForeignOptions {
    private static final ValueType<Import.Format> FORMATS = ValueType.oneOf(Import.Format.values());

    @Option(
            names = "--from",
            description =
                    "Lists of another program: postfix, spamassassin, spamassassin-sql, rspamd,"
                            + " amavis, mailscanner, m365; a plain list of addresses and"
                            + " domains: list; or an address book: vcard, csv, ldif.")
    private @Nullable String from;

    @Option(names = "--no-parent-domains", description = "Postfix: subdomains do not match.")
    private boolean noParentDomains;

    @Option(names = "--for", description = "Address books: the address of their user.")
    private @Nullable String owner;

    private Import.@Nullable Format format;

    /** Returns lists as they are, or converted from what another program has. */
    List<TextSource> converted(List<TextSource> sources, Subcommand command) {
        format = from == null ? null : command.value("--from", from, FORMATS);
        if (noParentDomains && format != Import.Format.POSTFIX) {
            throw command.wrong("--no-parent-domains: allowed only with --from postfix");
        }
        boolean isBook = format != null && format.isAddressBook();
        if ((owner != null) != isBook) {
            String missing = "--for is missing; allowed: the address of the book's user";
            String none = "--for: allowed only with --from vcard, csv or ldif";
            throw command.wrong(isBook ? missing : none);
        }
        if (format == null) {
            return sources;
        }
        Address user = owner == null ? null : command.address("--for", owner);
        var foreign = sources.stream().map(it -> new Import.Source(it.name(), it.opener()));
        Import converted =
                new Import(format, !noParentDomains, user, foreign.toList(), command.err::complain);
        String name = sources.size() == 1 ? sources.getFirst().name() : "the imported lists";
        return List.of(new TextSource(name, -1, () -> converted));
    }

    /** Prints what the administrator must set for what was imported. */
    void sumUp(Subcommand command) {
        if (format != null && !format.knowsTags()) {
            String or = format == Import.Format.POSTFIX ? ", or Postfix' recipient_delimiter" : "";
            command.err.println(
                    "tags count as in the other program only with subaddressDelimiter none%s; with +, alice@example.com also lists alice+news@example.com"
                            .formatted(or));
        }
    }
}
