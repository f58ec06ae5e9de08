package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Verdict;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * The last verdicts on this server, one for each recipient of a mail, in memory only. Adding one
 * takes no lock, and keeps neither the mail nor an exception alive.
 */
public final class RecentMails {
    /** How many verdicts are remembered. */
    public static final int MAX = 500;

    /** The longest address that is remembered whole, in characters. No valid one is longer. */
    private static final int MAX_ADDRESS = 320;

    private final AtomicReferenceArray<@Nullable Row> ring = new AtomicReferenceArray<>(MAX);
    private final AtomicLong added = new AtomicLong();

    /**
     * A verdict.
     *
     * @param sender the envelope sender
     * @param from the mailbox in the header From:; null if it was not asked for, or is unclear
     * @param entry the entry that decided; null if none did
     * @param as the name of the mailet or matcher
     */
    public record Row(
            Instant at,
            String sender,
            @Nullable String from,
            String recipient,
            String verdict,
            String reason,
            @Nullable String entry,
            String as) {}

    /**
     * Adds a verdict in place of the oldest.
     *
     * @param sender the envelope sender of the mail
     * @param from the mailbox in the header From:; null if it was not asked for, or is unclear
     * @param as the name of the mailet or matcher
     */
    public void add(
            Instant at,
            Mail mail,
            Sender sender,
            @Nullable Address from,
            MailAddress recipient,
            Verdict verdict,
            String as) {
        ring.set(
                (int) (added.getAndIncrement() % MAX),
                new Row(
                        at,
                        sender instanceof Known(Address address)
                                ? shown(address.toString())
                                : shown(mail.getMaybeSender().asString()),
                        from == null ? null : shown(from.toString()),
                        shown(recipient.asString()),
                        verdict.word(),
                        verdict.reason().label(),
                        Objects.toString(verdict.entry(), null),
                        as));
    }

    /** Returns an address, or its beginning if James has taken one that is far too long. */
    private static String shown(String address) {
        return Text.escaped(
                address.length() <= MAX_ADDRESS
                        ? address
                        : address.substring(0, MAX_ADDRESS) + "…");
    }

    /**
     * Returns the verdicts, the newest first.
     *
     * @param part what the address in the envelope or in From: must contain, in any case
     */
    public List<Row> rows(String part) {
        String wanted = part.toLowerCase(Locale.ROOT);
        return rows(
                row -> (row.sender + "\n" + row.from).toLowerCase(Locale.ROOT).contains(wanted));
    }

    /** Returns the verdicts on mails from a user, and on those to the user. */
    public List<Row> rowsOf(Address user, RecipientUsers users) {
        return rows(row -> isOf(row, user, users));
    }

    private List<Row> rows(Predicate<Row> wanted) {
        List<Row> rows = new ArrayList<>();
        long newest = added.get() + MAX - 1;
        for (int i = 0; i < MAX; i++) {
            Row row = ring.get((int) ((newest - i) % MAX));
            if (row != null && wanted.test(row)) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** Forgets the verdicts on mails from a user, and on those to the user. */
    public void forget(Address user, RecipientUsers users) {
        for (int i = 0; i < MAX; i++) {
            Row row = ring.get(i);
            if (row != null && isOf(row, user, users)) {
                ring.compareAndSet(i, row, null);
            }
        }
    }

    /** Returns whether the mail is from a user or to the user; in doubt, it is. */
    private static boolean isOf(Row row, Address user, RecipientUsers users) {
        String shown = shown(user.toString());
        if (shown.equals(row.sender) || shown.equals(row.from)) {
            return true;
        }
        try {
            return AddressSyntax.parse(row.recipient) instanceof Address to
                    && (user.equals(to) || user.equals(users.userOf(to)));
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }
}
