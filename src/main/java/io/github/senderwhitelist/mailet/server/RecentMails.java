package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Reason;
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

/**
 * The last verdicts on this server, one for each recipient of a mail, in memory only. Adding one
 * takes no lock and makes no text, and keeps neither the mail nor an exception alive.
 */
public final class RecentMails {
    /** How many verdicts are remembered. */
    public static final int MAX = 500;

    /** The longest address that is remembered whole, in characters. No valid one is longer. */
    private static final int MAX_ADDRESS = 320;

    private final AtomicReferenceArray<@Nullable Judged> ring = new AtomicReferenceArray<>(MAX);
    private final AtomicLong added = new AtomicLong();

    /** A verdict as it is kept. Of sender and recipient, {@code toString} is the address. */
    private record Judged(
            Instant at,
            Object sender,
            @Nullable Address from,
            String confirmed,
            Object recipient,
            String word,
            Reason reason,
            @Nullable Entry entry,
            String as) {
        Row row() {
            return new Row(
                    at,
                    Text.escaped(sender.toString()),
                    Objects.toString(from, null),
                    confirmed,
                    Text.escaped(recipient.toString()),
                    word,
                    reason.label(),
                    Objects.toString(entry, null),
                    as);
        }

        /** Returns whether the mail is from a user or to the user; in doubt, it is. */
        boolean isOf(Address user, RecipientUsers users) {
            if (user.equals(sender) || user.equals(from)) {
                return true;
            }
            try {
                return AddressSyntax.parse(recipient.toString()) instanceof Address to
                        && (user.equals(to) || user.equals(users.userOf(to)));
            } catch (IOException | RuntimeException e) {
                return true;
            }
        }
    }

    /** A verdict in words, as {@link #add} has it. */
    public record Row(
            Instant at,
            String sender,
            @Nullable String from,
            String confirmed,
            String recipient,
            String verdict,
            String reason,
            @Nullable String entry,
            String as) {}

    /**
     * Adds a verdict of a mailet or matcher in place of the oldest.
     *
     * @param from the mailbox in the header From:; null if it was not asked for, or is unclear
     * @param confirmed what confirmed the sender, as far as that decided
     */
    public void add(
            Instant at,
            Mail mail,
            Sender sender,
            @Nullable Address from,
            String confirmed,
            MailAddress recipient,
            Verdict verdict,
            String as) {
        Object shown =
                sender instanceof Known(Address address)
                        ? address
                        : mail.getMaybeSender().asOptional().map(RecentMails::kept).orElse("<>");
        ring.set(
                (int) (added.getAndIncrement() % MAX),
                new Judged(
                        at,
                        shown,
                        from,
                        confirmed,
                        kept(recipient),
                        verdict.word(),
                        verdict.reason(),
                        verdict.entry(),
                        as));
    }

    /** Returns an address, or its beginning if James has taken one that is far too long. */
    private static Object kept(MailAddress address) {
        int length = address.getLocalPart().length() + address.getDomain().name().length();
        return length < MAX_ADDRESS ? address : address.asString().substring(0, MAX_ADDRESS) + "…";
    }

    /**
     * Returns the verdicts, the newest first.
     *
     * @param part what the address in the envelope or in From: must contain, in any case
     */
    public List<Row> rows(String part) {
        String wanted = part.toLowerCase(Locale.ROOT);
        return all().stream()
                .map(Judged::row)
                .filter(
                        row ->
                                (row.sender + "\n" + Objects.toString(row.from, ""))
                                        .toLowerCase(Locale.ROOT)
                                        .contains(wanted))
                .toList();
    }

    /** Returns the verdicts on mails from a user, and on those to the user. */
    public List<Row> rowsOf(Address user, RecipientUsers users) {
        return all().stream().filter(each -> each.isOf(user, users)).map(Judged::row).toList();
    }

    private List<Judged> all() {
        List<Judged> all = new ArrayList<>();
        long newest = added.get() + MAX - 1;
        for (int i = 0; i < MAX; i++) {
            Judged each = ring.get((int) ((newest - i) % MAX));
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    /** Forgets the verdicts on mails from a user, and on those to the user. */
    public void forget(Address user, RecipientUsers users) {
        for (int i = 0; i < MAX; i++) {
            Judged each = ring.get(i);
            if (each != null && each.isOf(user, users)) {
                ring.compareAndSet(i, each, null);
            }
        }
    }
}
