package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.importer.ForeignFormat;
import io.github.senderwhitelist.importer.ForeignList;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.importer.ImportSettings;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import java.io.PrintWriter;
import java.util.List;

/** The options for lists of other programs. */
final class ForeignOptions extends Options {
    private final Given<ForeignFormat> format =
            option(
                    "--from",
                    "FORMAT",
                    ValueType.oneOf(ForeignFormat.class, ForeignFormat::toString),
                    "Read lists of another program: postfix, spamassassin, spamassassin-sql,"
                            + " rspamd, amavis, mailscanner, m365, james38; a plain list of"
                            + " addresses and domains: list; or an address book: vcard, csv, ldif."
                            + " Lines without an equivalent are reported and left out.");

    private final Given<Boolean> noParentDomains =
            flag(
                    "--no-parent-domains",
                    "With --from postfix: parent_domain_matches_subdomains does not have"
                        + " smtpd_access_maps, so that a domain does not match its subdomains.");

    private final Given<Subaddressing> recipientDelimiter =
            option(
                    "--recipient-delimiter",
                    "C",
                    Subaddressing.VALUES,
                    "With --from postfix: its recipient_delimiter, or none, which is Postfix'"
                            + " default.");

    private final Given<AuthRequirement> auth =
            option(
                    "--auth",
                    "METHOD",
                    Values.method(),
                    "With --from rspamd: the maps are of the whitelist module, and spf, dkim, or"
                            + " any (one of both, as for DMARC) must confirm their senders.");

    private final Given<String> owner =
            option(
                    "--for",
                    "USER",
                    Values.address(),
                    "With --from vcard, csv or ldif: the address of the user whose address book it"
                            + " is.");

    ForeignOptions(Options command) {
        super(command);
    }

    /** Returns the import of lists of another program, or null if none is meant. */
    @Nullable Import imported(List<TextSource> sources) {
        ForeignFormat from = format.orNull();
        String user = owner.orNull();
        if (noParentDomains.value() && from != ForeignFormat.POSTFIX) {
            throw wrong("--no-parent-domains: allowed only with --from postfix");
        }
        if (recipientDelimiter.isThere() && from != ForeignFormat.POSTFIX) {
            throw wrong("--recipient-delimiter: allowed only with --from postfix");
        }
        if (auth.isThere() && from != ForeignFormat.RSPAMD) {
            throw wrong("--auth: allowed only with --from rspamd");
        }
        if ((user == null) == (from != null && from.isAddressBook())) {
            throw wrong(
                    user == null
                            ? "--for is missing; allowed: the address of the user whose address"
                                    + " book it is"
                            : "--for: allowed only with --from vcard, csv or ldif");
        }
        if (from == null) {
            return null;
        }
        List<ForeignList> foreign =
                sources.stream().map(list -> new ForeignList(list.name(), list.opener())).toList();
        ImportSettings settings =
                new ImportSettings(
                        !noParentDomains.value(),
                        recipientDelimiter.or(Subaddressing.NONE),
                        auth.or(AuthRequirement.NONE),
                        user == null ? null : address(user));
        return new Import(from, settings, foreign, err()::println, isVerbose());
    }

    /** Returns the text list that an import of these files makes. */
    static TextSource source(List<String> lists, Import imported) {
        String name = lists.size() == 1 ? lists.getFirst() : "the imported lists";
        return new TextSource(name, -1, imported::open);
    }

    /** Prints what was imported, and what the administrator must set for it. */
    void print(Import imported, PrintWriter out, PrintWriter err) {
        imported.summaries().forEach(out::println);
        Subaddressing tags = imported.subaddressing();
        if (imported.hasAddresses() && !tags.equals(Subaddressing.DEFAULT)) {
            err.println(
                    "tags count as in the other program only with the parameter"
                            + " subaddressDelimiter "
                            + tags.label()
                            + " (check: --subaddress-delimiter "
                            + tags.label()
                            + "); with +, the default, alice@example.com also lists"
                            + " alice+news@example.com");
        }
    }

    private static Address address(String text) {
        return ((WellFormed) AddressSyntax.parse(text)).address();
    }
}
