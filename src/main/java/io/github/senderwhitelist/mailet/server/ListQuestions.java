package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** Lookups in open lists, by the code that decides on mails. */
public final class ListQuestions {
    private final SharedLists lists;
    private final Policy policy;

    /** Takes lists, and which character begins the tag of a sender's address. */
    public ListQuestions(SharedLists lists, Subaddressing subaddressing) {
        this.lists = lists;
        this.policy = new Policy(subaddressing, lists.clock(), Subaddressing.NONE, lists.users());
    }

    /**
     * Returns the entry of each list, in databases and in files, that lists a sender for a
     * recipient. A mail that is confirmed in every way is asked for, so that no entry that may list
     * the sender is passed over.
     *
     * @throws IOException if a list cannot be asked
     */
    public List<Entry> listing(Key sender, Key to) throws IOException {
        MailFacts question =
                new MailFacts(
                        Sender.parse(sender.toString()),
                        List.of(to.toString()),
                        confirmed -> EnumSet.allOf(Confirmation.class));
        List<SenderList> all = lists.all();
        List<Entry> listing = new ArrayList<>();
        if (entry(all, question) != null) {
            for (SenderList each : all) {
                Entry entry = entry(List.of(each), question);
                if (entry != null) {
                    listing.add(entry);
                }
            }
        }
        return listing;
    }

    /** Returns the entry by which lists list a sender, or null when they do not. */
    private @Nullable Entry entry(List<SenderList> asked, MailFacts question) throws IOException {
        return switch (new Whitelist(asked, policy).check(question).getFirst()) {
            case Listed(Entry entry) -> entry;
            case NotListed not -> null;
            case Unavailable(IOException cause) -> throw cause;
            case Failed(Throwable cause) -> throw new IOException(cause);
        };
    }
}
