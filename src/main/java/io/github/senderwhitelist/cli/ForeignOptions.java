package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.importer.ForeignFormat;
import io.github.senderwhitelist.importer.ForeignList;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.importer.ImportSettings;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;

/** The options for lists of other programs. */
final class ForeignOptions {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--from",
            paramLabel = "FORMAT",
            converter = Values.Format.class,
            description =
                    "Read lists of another program: postfix, spamassassin, rspamd, m365, james38;"
                            + " or an address book: vcard. Lines without an equivalent are reported"
                            + " and left out.")
    private @Nullable ForeignFormat from;

    @Option(
            names = "--no-parent-domains",
            description =
                    "With --from postfix: parent_domain_matches_subdomains does not have"
                            + " smtpd_access_maps, so that a domain does not match its subdomains.")
    private boolean noParentDomains;

    @Option(
            names = "--recipient-delimiter",
            paramLabel = "C",
            converter = Values.Delimiter.class,
            description =
                    "With --from postfix: its recipient_delimiter, or none, which is Postfix'"
                            + " default.")
    private @Nullable Subaddressing recipientDelimiter;

    @Option(
            names = "--auth",
            paramLabel = "METHOD",
            converter = Values.Method.class,
            description =
                    "With --from rspamd: the maps are of the whitelist module, and spf, dkim, or"
                            + " any (one of both, as for DMARC) must confirm their senders.")
    private @Nullable AuthRequirement auth;

    @Option(
            names = "--for",
            paramLabel = "USER",
            converter = Values.Recipient.class,
            description = "With --from vcard: the address of the user whose address book it is.")
    private @Nullable String user;

    /** Returns the import of lists of another program, or null if none is meant. */
    @Nullable Import imported(List<TextSource> sources) {
        if (noParentDomains && from != ForeignFormat.POSTFIX) {
            throw wrong("--no-parent-domains: allowed only with --from postfix");
        }
        if (recipientDelimiter != null && from != ForeignFormat.POSTFIX) {
            throw wrong("--recipient-delimiter: allowed only with --from postfix");
        }
        if (auth != null && from != ForeignFormat.RSPAMD) {
            throw wrong("--auth: allowed only with --from rspamd");
        }
        if ((user == null) == (from == ForeignFormat.VCARD)) {
            throw wrong(
                    user == null
                            ? "--for is missing; allowed: the address of the user whose address"
                                    + " book it is"
                            : "--for: allowed only with --from vcard");
        }
        if (from == null) {
            return null;
        }
        List<ForeignList> foreign =
                sources.stream().map(list -> new ForeignList(list.name(), list.opener())).toList();
        ImportSettings settings =
                new ImportSettings(
                        !noParentDomains,
                        recipientDelimiter == null ? Subaddressing.NONE : recipientDelimiter,
                        auth == null ? AuthRequirement.NONE : auth,
                        user == null ? null : address(user));
        return new Import(
                from,
                settings,
                foreign,
                Objects.requireNonNull(spec).commandLine().getErr()::println);
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

    private ParameterException wrong(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }
}
