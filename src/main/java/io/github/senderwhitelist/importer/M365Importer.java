package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/**
 * Imports lists of Microsoft 365 as CSV: the Tenant Allow/Block List (a value and an action in each
 * row), or the lists of an anti-spam policy (columns AllowedSenders, AllowedSenderDomains,
 * BlockedSenders and BlockedSenderDomains, each with any number of values).
 */
final class M365Importer extends TableImporter {
    private static final List<String> TENANT = List.of("value", "action");

    private static final List<String> POLICY =
            List.of(
                    "allowedsenders",
                    "allowedsenderdomains",
                    "blockedsenders",
                    "blockedsenderdomains");

    M365Importer(Sink sink) {
        super(
                sink,
                "Value and Action (Tenant Allow/Block List), or AllowedSenders,"
                        + " AllowedSenderDomains, BlockedSenders or BlockedSenderDomains (anti-spam"
                        + " policy)");
    }

    @Override
    boolean knows(List<String> columns) {
        return columns.containsAll(TENANT) || POLICY.stream().anyMatch(columns::contains);
    }

    @Override
    void row() throws ListRefusedException {
        if (fields.keySet().containsAll(TENANT)) {
            tenant();
            return;
        }
        for (String list : POLICY) {
            String values = field(list);
            if (values.matches(
                    "(?:System\\.(?:Collections\\.|String\\[)|Microsoft\\.Exchange).*")) {
                throw sink.refused(
                        "'%s' is the type of a list, which Export-Csv writes in place of its values;"
                                        .formatted(Text.shown(values))
                                + " join them before: $_.AllowedSenders -join ';'");
            }
            for (String value : values.split("[\\s,;{}]+", -1)) {
                if (!value.isEmpty()) {
                    sink.take(sink.sender(value), list.startsWith("blocked"), "");
                }
            }
        }
    }

    private void tenant() {
        String value = field("value");
        String action = field("action").toLowerCase(Locale.ROOT);
        String expiry = field("expirationdate");
        if (!field("listtype").matches("(?i)|sender|domain")) {
            sink.report(
                    value, "an entry for " + Text.shown(field("listtype")) + ", not for senders");
        } else if (!action.equals("allow") && !action.equals("block")) {
            sink.bad(action, "is no action; expected: Allow, Block");
        } else {
            try {
                String until = until(expiry);
                sink.take(sink.sender(value), action.equals("block"), until);
            } catch (DateTimeException e) {
                sink.report(
                        expiry,
                        ("of '%s': expected a date as 2027-01-31 or 2027-01-31T00:00:00Z"
                                        + " (ExpirationDate.ToString('o'))")
                                .formatted(Text.shown(value)));
            }
        }
    }

    /**
     * Returns the condition for an expiry date, if there is one: the last day on which the entry
     * holds, in UTC. For an expiry at midnight, that is the day before.
     *
     * @throws DateTimeException if it is not in the form of ISO 8601, since others can be read in
     *     two ways
     */
    private static String until(String text) {
        if (text.isEmpty() || text.toLowerCase(Locale.ROOT).startsWith("never")) {
            return "";
        }
        return " until="
                + (text.indexOf(':') < 0
                        ? LocalDate.parse(text)
                        : OffsetDateTime.parse(text.replace(' ', 'T'))
                                .withOffsetSameInstant(ZoneOffset.UTC)
                                .minusNanos(1)
                                .toLocalDate());
    }
}
