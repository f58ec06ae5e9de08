package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.RecipientUsers;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lookups in open lists, by the code that decides on mails. */
public final class ListQuestions {
    private final SharedLists lists;
    private final Policy policy;

    /** Takes lists, which are asked as by no mailet in particular. */
    public ListQuestions(SharedLists lists, RecipientUsers users) {
        this(lists, Policy.plain(users));
    }

    /** Takes lists, and how they are asked. */
    public ListQuestions(SharedLists lists, Policy policy) {
        this.lists = lists;
        this.policy = policy;
    }

    /**
     * What a list says of a sender.
     *
     * @param list its name
     * @param entry the entry by which it lists the sender
     */
    public record Listing(String list, Entry entry) {}

    /**
     * Returns the entries that list a sender for a recipient, and their lists, in databases and in
     * files. A mail that is confirmed in every way is asked for, so that no entry that may list the
     * sender is passed over.
     *
     * @throws IOException if a list cannot be asked
     */
    public List<Listing> listing(Key sender, Key to) throws IOException {
        Question question =
                new Question(
                        Sender.parse(sender.toString()),
                        List.of(to.toString()),
                        (required, confirmed) -> true);
        Map<String, SenderList> all = new TreeMap<>(lists.files());
        all.putAll(lists.living());
        List<Listing> listing = new ArrayList<>();
        if (entry(all.values(), question) == null) {
            return listing;
        }
        for (var each : all.entrySet()) {
            Entry entry = entry(List.of(each.getValue()), question);
            if (entry != null) {
                listing.add(new Listing(each.getKey(), entry));
            }
        }
        return listing;
    }

    /** Returns the entry by which lists list a sender, or null when they do not. */
    private @Nullable Entry entry(Collection<SenderList> asked, Question question)
            throws IOException {
        return switch (new Whitelist(List.copyOf(asked), policy).check(question).getFirst()) {
            case Listed(Entry entry) -> entry;
            case NotListed not -> null;
            case Unavailable(IOException cause) -> throw cause;
            case Failed(Throwable cause) -> throw new IOException(cause);
        };
    }
}
