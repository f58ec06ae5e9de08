package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.ListQuestions;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The entries of a user in a living list, as far as the user may change them. All texts are for the
 * user to read, behind the command and a colon.
 *
 * <p>Of the administrator's entries nothing is said, or users could ask what the administrator
 * lists. The exception is a denial that makes an addition useless.
 */
public final class OwnEntries {
    /** How many lines are shown. */
    private static final int MAX_SHOWN = 500;

    /** How many entries for the user are read. Learning keeps fewer. */
    private static final int MAX_READ = 20_000;

    /**
     * How much a user may add.
     *
     * @param maxEntries how many entries a user may have added
     * @param maxNewPerDay how many new entries, however they come, a user may have in a day
     */
    public record Limits(int maxEntries, int maxNewPerDay) {}

    private final LivingList list;
    private final ListQuestions questions;
    private final Key user;
    private final Limits limits;
    private final Instant now;

    /**
     * Takes a user.
     *
     * @param questions returns what the entries of others do to a sender
     * @param limits how much the user may add
     */
    public OwnEntries(
            LivingList list, ListQuestions questions, Address user, Limits limits, Instant now) {
        this.list = list;
        this.questions = questions;
        this.user = user.key();
        this.limits = limits;
        this.now = now;
    }

    /**
     * Lists a sender for the user, in place of what the user had said of the sender.
     *
     * @throws IOException if the database fails; it may be done or not
     */
    String add(Key sender) throws IOException {
        Entry known = list.record().find(sender, user);
        List<Rule> before = known == null ? List.of() : known.rulesOf(Origin.USER);
        if (before.isEmpty()) {
            Share share = list.record().share(user, Origin.USER, now);
            if (share.entries() >= limits.maxEntries()) {
                return " not done. You have %s addresses of your own, and more are not allowed."
                                .formatted(limits.maxEntries())
                        + " Remove some first.";
            }
            if (share.newThen() >= limits.maxNewPerDay()) {
                return " not done. You have had %s new addresses today, with those that you wrote to"
                                .formatted(share.newThen())
                        + " and whose mails you moved, and more are not allowed in a day. Send it"
                        + " again tomorrow.";
            }
        }
        Rule rule = before.size() == 1 && lists(before.getFirst()) ? before.getFirst() : added();
        Effect effect = list.put(new Entry(sender, user, List.of(rule)), user.toString());
        return switch (effect) {
            case NONE -> " done before. Nothing has changed.";
            case REPLACED -> " done, in place of " + shown(sender, before) + meaning(sender);
            default -> " done" + meaning(sender);
        };
    }

    private static boolean lists(Rule rule) {
        return !rule.denied()
                && rule.from() == null
                && rule.until() == null
                && rule.auth() == AuthRequirement.ANY;
    }

    /**
     * Returns a rule that lists a sender. The day is in the note and not in {@code from=}, so that
     * it is active at once though the clock may be ahead.
     */
    private Rule added() {
        String note = ListRecord.ADDED + LocalDate.ofInstant(now, ZoneOffset.UTC);
        return new Rule(false, null, null, AuthRequirement.ANY, Origin.USER, note);
    }

    private static String shown(Key sender, List<Rule> rules) {
        return rules.stream()
                .map(rule -> "'" + line(sender, rule) + "'")
                .collect(Collectors.joining(", "));
    }

    private static String line(Key sender, Rule rule) {
        return Text.escaped(rule.line(sender, null));
    }

    private String meaning(Key sender) {
        return isListed(sender)
                ? ". The sender counts as listed for you when SPF or DKIM confirms the address."
                : ". But another entry denies this sender, and that wins.";
    }

    /** Returns whether a confirmed mail would be listed; it would when that cannot be found out. */
    private boolean isListed(Key sender) {
        try {
            return !questions.listing(sender, user).isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Removes what the user has said of a sender, and what was learned of the sender for the user.
     *
     * @throws IOException if the database fails; it may be done or not, or in part
     */
    String remove(Key sender) throws IOException {
        Effect own = list.remove(Origin.USER, sender, user, user.toString());
        Effect learned = list.remove(Origin.LEARNED, sender, user, user.toString());
        if (own == Effect.NONE && learned == Effect.NONE) {
            return " not done. You have no entry for this address. Nothing has changed.";
        }
        return " done.";
    }

    /**
     * Returns what the user has said and what was learned, one entry a line.
     *
     * @throws IOException if the database fails
     */
    String show() throws IOException {
        List<Entry> entries = list.record().entriesFor(user, MAX_READ + 1);
        List<String> own =
                entries.stream()
                        .flatMap(
                                entry ->
                                        entry.rules().stream()
                                                .filter(rule -> rule.origin() != Origin.ADMIN)
                                                .map(rule -> "\n  " + line(entry.key(), rule)))
                        .toList();
        if (own.isEmpty()) {
            return " no entries.";
        }
        String shown = own.stream().limit(MAX_SHOWN).collect(Collectors.joining());
        return own.size() <= MAX_SHOWN
                ? shown
                : "%s\n  and %s%s more. The administrator can tell you all of them."
                        .formatted(
                                shown,
                                entries.size() > MAX_READ ? "more than " : "",
                                own.size() - MAX_SHOWN);
    }
}
