package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Imports lists of Microsoft 365 as CSV: the Tenant Allow/Block List (a value and an action in each
 * row), or the lists of an anti-spam policy (columns AllowedSenders, AllowedSenderDomains,
 * BlockedSenders and BlockedSenderDomains, each with any number of values).
 */
final class M365Importer extends TableImporter {
    private static final List<String> LISTS =
            List.of(
                    "allowedsenders",
                    "allowedsenderdomains",
                    "blockedsenders",
                    "blockedsenderdomains");

    private static final List<String> TENANT = List.of("value", "action");

    /** What Export-Csv writes of a list in place of its values. */
    private static final Pattern TYPE_OF_LIST =
            Pattern.compile(
                    "(?:System\\.(?:Collections\\.|String\\[)|Microsoft\\.Exchange\\.Data\\.).*");

    M365Importer() {
        super(
                "Value and Action (Tenant Allow/Block List), or AllowedSenders,"
                        + " AllowedSenderDomains, BlockedSenders or BlockedSenderDomains (anti-spam"
                        + " policy)");
    }

    @Override
    boolean knows(Set<String> columns) {
        return columns.containsAll(TENANT) || LISTS.stream().anyMatch(columns::contains);
    }

    @Override
    void row(Map<String, String> fields) throws ListRefusedException {
        if (fields.keySet().containsAll(TENANT)) {
            tenantRow(fields);
            return;
        }
        for (String list : LISTS) {
            String field = fields.getOrDefault(list, "");
            if (TYPE_OF_LIST.matcher(field).matches()) {
                throw refused(
                        "'"
                                + Text.shown(field)
                                + "' is the type of a list, which Export-Csv writes in place of its"
                                + " values; export them as text: Select-Object Name,"
                                + " @{n='AllowedSenders';e={$_.AllowedSenders -join ';'}} and so on"
                                + " for each list, then Export-Csv");
            }
            for (String value : field.split("[\\s,;{}]+", -1)) {
                if (!value.isEmpty()) {
                    sender(value, list.startsWith("blocked"), "");
                }
            }
        }
    }

    private void tenantRow(Map<String, String> fields) {
        String value = fields.getOrDefault("value", "");
        String type = fields.getOrDefault("listtype", "");
        String action = fields.getOrDefault("action", "").toLowerCase(Locale.ROOT);
        String expiry = fields.getOrDefault("expirationdate", "");
        String until = until(expiry);
        if (!type.matches("(?i)|sender|domain")) {
            report(value, "an entry for " + Text.shown(type) + ", not for senders");
        } else if (!action.equals("allow") && !action.equals("block")) {
            bad(action, "is no action; expected: Allow, Block");
        } else if (until == null) {
            report(
                    expiry,
                    "of '"
                            + Text.shown(value)
                            + "': expected a date as 2027-01-31 or 2027-01-31T00:00:00Z"
                            + " (ExpirationDate.ToString('o'))");
        } else {
            sender(value, action.equals("block"), until);
        }
    }

    private void sender(String written, boolean denied, String conditions) {
        String value = HiddenCharacters.strip(written);
        String domain = value.startsWith("@") ? value.substring(1) : value;
        if (value.matches("\\*\\.[^*@]*")) {
            take(below(value.substring(2)), denied, conditions);
        } else if (value.indexOf('*') >= 0) {
            report(value, "an entry can have '*.' before a domain, no other patterns");
        } else if (value.indexOf('@') > 0) {
            take(address(value), denied, conditions);
        } else {
            take(domain(domain), denied, conditions);
        }
    }

    /**
     * Returns the condition for an expiry date: the last day on which the entry holds, in UTC. For
     * an expiry at midnight, that is the day before. Returns an empty string for no date, or null
     * when it is not in the form of ISO 8601, since others can be read in two ways.
     */
    private static @Nullable String until(String text) {
        if (text.isEmpty() || text.toLowerCase(Locale.ROOT).startsWith("never")) {
            return "";
        }
        try {
            return " until="
                    + (text.indexOf(':') < 0
                            ? LocalDate.parse(text)
                            : OffsetDateTime.parse(text.replace(' ', 'T'))
                                    .withOffsetSameInstant(ZoneOffset.UTC)
                                    .minusNanos(1)
                                    .toLocalDate());
        } catch (DateTimeException e) {
            return null;
        }
    }
}
