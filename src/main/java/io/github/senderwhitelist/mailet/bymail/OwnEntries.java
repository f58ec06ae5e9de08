package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The entries of a user in a living list, as far as the user may change them. All texts are for the
 * user to read, behind the command and a colon. All methods fail with an {@link IOException} if the
 * database fails; the change may be made then, or not, or in part.
 *
 * <p>Of the administrator's entries nothing is said, or users could ask what the administrator
 * lists. The exception is a denial that makes an addition useless.
 *
 * @param lists all lists, whose entries may deny a sender
 * @param maxNewPerDay how many new entries the user may have in a day, however they come
 */
public record OwnEntries(
        LivingList list, SharedLists lists, Address user, int maxNewPerDay, Instant now) {
    private static final int MAX_ENTRIES = 1_000;
    private static final int MAX_SHOWN = 500;

    /** Returns the day, which is the same on all servers. */
    LocalDate today() {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    /** Lists a sender for the user, in place of what the user had said of the sender. */
    String add(Key sender) throws IOException {
        Entry known = list.record().find(sender, user.key());
        List<Rule> before = known == null ? List.of() : known.rulesOf(Origin.USER);
        Share share = list.record().share(user.key(), Origin.USER, now);
        if (before.isEmpty()
                && (share.entries() >= MAX_ENTRIES || share.newThen() >= maxNewPerDay)) {
            return (" not done. You may have %s addresses of your own, and %s new ones a day, with"
                            + " those that you wrote to and whose mails you moved. Remove some, or"
                            + " send it again tomorrow.")
                    .formatted(MAX_ENTRIES, maxNewPerDay);
        }
        // The day is in the note and not in from=, so that the rule is active at once though the
        // clock may be ahead.
        String note = ListRecord.ADDED + today();
        Rule added = new Rule(false, null, null, AuthRequirement.ANY, Origin.USER, note);
        Rule rule = before.stream().filter(OwnEntries::lists).findFirst().orElse(added);
        Entry entry = new Entry(sender, user.key(), List.of(rule));
        if (list.put(entry, user.toString()) == Effect.NONE) {
            return " done before. Nothing has changed.";
        }
        return isListed(sender)
                ? " done. The sender counts as listed for you when SPF or DKIM confirms the"
                        + " address."
                : " done. But another entry denies this sender, and that wins.";
    }

    private static boolean lists(Rule rule) {
        return !rule.denied()
                && rule.from() == null
                && rule.until() == null
                && rule.auth() == AuthRequirement.ANY;
    }

    /** Returns whether a confirmed mail would be listed; it would when that cannot be found out. */
    private boolean isListed(Key sender) {
        try {
            return !lists.listing(sender, user.key(), Subaddressing.DEFAULT).isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    /** Removes what the user has said of a sender, and what was learned of it for the user. */
    String remove(Key sender) throws IOException {
        Effect own = list.remove(Origin.USER, sender, user.key(), user.toString());
        Effect learned = list.remove(Origin.LEARNED, sender, user.key(), user.toString());
        return own == Effect.NONE && learned == Effect.NONE
                ? " not done. You have no entry for this address. Nothing has changed."
                : " done.";
    }

    /** Returns what the user has said and what was learned, one entry a line. */
    String show() throws IOException {
        List<String> own =
                list.record().entriesFor(user.key(), Integer.MAX_VALUE).stream()
                        .flatMap(
                                entry ->
                                        entry.rules().stream()
                                                .filter(rule -> rule.origin() != Origin.ADMIN)
                                                .map(rule -> rule.line(entry.key(), null)))
                        .toList();
        if (own.isEmpty()) {
            return " no entries.";
        }
        String shown =
                own.stream()
                        .limit(MAX_SHOWN)
                        .map(line -> "\n  " + Text.escaped(line))
                        .collect(Collectors.joining());
        return own.size() <= MAX_SHOWN
                ? shown
                : "%s\n  and %s more. The administrator can tell you all of them."
                        .formatted(shown, own.size() - MAX_SHOWN);
    }
}
