package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.Builds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the lists of these tests hold: an old list, and the new one that takes its place. Of many
 * senders it is known which of the two lists them.
 */
enum Content {
    /** The list before. */
    OLD,
    /** The list after. */
    NEW;

    private static final int ENTRIES = 700;

    private final int size = entries().size();

    private static final List<Sender> SENDERS = senders();

    private static final Address[] ADDRESSES =
            SENDERS.stream()
                    .map(sender -> ((WellFormed) AddressSyntax.parse(sender.text())).address())
                    .toArray(Address[]::new);

    /** A sender, and the lists that list it. */
    private record Sender(String text, Set<Content> listing) {}

    /** Returns its entries, a line each. */
    private List<String> entries() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            entries.add(kept(i));
            entries.add(own(i));
        }
        entries.add("@partner.example");
        entries.add("!mallory@partner.example");
        entries.add((this == OLD ? "" : "!") + "turned@partner.example");
        entries.add("@." + domain());
        entries.add("late@example.org until=2020-01-01");
        for (int i = 0; i < 100; i++) {
            entries.add("noreply@git.example to=" + (i % 5 == 0 ? own(i) : kept(i)));
        }
        return entries;
    }

    private static String kept(int i) {
        return Integer.toString(i * 7919 + 1, 36) + "@kept" + i % 7 + ".example";
    }

    private String own(int i) {
        return Integer.toString(i * 104_729 + 1, 36) + "@" + domain();
    }

    private String domain() {
        return this == OLD ? "old.example" : "new.example";
    }

    private static List<Sender> senders() {
        Set<Content> both = EnumSet.allOf(Content.class);
        Set<Content> none = EnumSet.noneOf(Content.class);
        List<Sender> senders = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i += i == 0 ? 1 : 59) {
            senders.add(new Sender(kept(i), both));
            for (Content content : values()) {
                senders.add(new Sender(content.own(i), EnumSet.of(content)));
            }
            senders.add(new Sender("stranger" + i + "@kept1.example", none));
            senders.add(new Sender("stranger" + i + "@" + OLD.domain(), none));
        }
        for (Content content : values()) {
            senders.add(new Sender(content.own(ENTRIES - 1), EnumSet.of(content)));
            senders.add(new Sender("any@sub." + content.domain(), EnumSet.of(content)));
        }
        senders.add(new Sender(kept(ENTRIES - 1), both));
        senders.add(new Sender("anybody@partner.example", both));
        senders.add(new Sender("anybody@sub.partner.example", none));
        senders.add(new Sender("mallory@partner.example", none));
        senders.add(new Sender("turned@partner.example", EnumSet.of(OLD)));
        senders.add(new Sender("late@example.org", none));
        senders.add(new Sender("noreply@git.example", none));
        senders.add(new Sender("anybody@partner.examples", none));
        return senders;
    }

    /** Returns the content as a text list. */
    byte[] text() {
        List<String> lines = entries();
        if (this == NEW) {
            // A duplicate makes fewer keys than lines, so filters are built again from the store.
            lines.add(kept(0));
            lines.add(own(0));
        }
        return (String.join("\n", lines) + "\n").getBytes(UTF_8);
    }

    /** Returns a text list without any sender of the old and the new list. */
    static byte[] other() {
        return "somebody@elsewhere.example\n".getBytes(UTF_8);
    }

    /**
     * Asks a list about every sender, and returns which of the two it is, whole.
     *
     * @throws AssertionError when it is neither
     */
    static Content of(SenderList list) {
        Set<Content> possible = possible(list, false);
        if (possible.size() != 1) {
            throw new AssertionError("one of the lists in part, or both: " + possible);
        }
        return possible.iterator().next();
    }

    /**
     * Asks a list about every sender while its disk may fail.
     *
     * @throws AssertionError when an answer is wrong for both lists, or some are right for one of
     *     them only and some for the other only
     */
    static void requireNothingWrong(SenderList list) {
        if (possible(list, true).isEmpty()) {
            throw new AssertionError("some answers are the old list's, some the new one's");
        }
    }

    private static Set<Content> possible(SenderList list, boolean tolerant) {
        PlainWhitelist whitelist = new PlainWhitelist(List.of(list), Subaddressing.NONE);
        Set<Content> possible = EnumSet.allOf(Content.class);
        for (int i = 0; i < ADDRESSES.length; i++) {
            Verdict verdict = whitelist.check(ADDRESSES[i]);
            Set<Content> listing = SENDERS.get(i).listing();
            switch (verdict) {
                case Listed listed -> possible.retainAll(listing);
                case NotListed not -> possible.removeAll(listing);
                case Failed failed ->
                        throw new AssertionError(SENDERS.get(i).text(), failed.cause());
                case Unavailable unavailable -> {
                    if (!tolerant) {
                        throw new AssertionError(
                                "no answer for " + SENDERS.get(i).text(), unavailable.cause());
                    }
                }
            }
            if (possible.isEmpty()) {
                throw new AssertionError(SENDERS.get(i).text() + ": " + verdict);
            }
        }
        return possible;
    }

    /**
     * Returns which of the two a snapshot is, after going through all of it.
     *
     * @throws AssertionError when it is neither
     */
    static Content of(Disk disk, Path file) {
        try {
            Snapshot snapshot = Snapshot.open(disk, file);
            Generation generation = Generation.exact(snapshot, 0);
            try {
                Content content = of((SenderList) () -> generation);
                content.requireEntries(Builds.entries(snapshot.store()));
                return content;
            } finally {
                generation.retire();
            }
        } catch (IOException e) {
            throw new AssertionError(file + " is not whole", e);
        }
    }

    /** Requires that these are all its entries, each once; the new one may have many more. */
    void requireEntries(List<Entry> found) {
        Set<Entry> distinct = new HashSet<>();
        for (Entry entry : found) {
            if (!entry.rules().isEmpty()) {
                distinct.add(entry);
            }
        }
        long entries = size;
        boolean right = this == NEW ? distinct.size() >= entries : distinct.size() == entries;
        long senders = found.stream().map(Entry::key).distinct().count();
        if (!right || found.stream().filter(entry -> entry.to() == null).count() != senders) {
            throw new AssertionError(found.size() + " entries, not " + entries);
        }
    }
}
