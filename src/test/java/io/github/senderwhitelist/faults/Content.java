package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.SmallLists;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
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

    /** A sender, and the lists that list it. */
    private record Sender(Address address, Set<Content> listing) {
        static Sender of(String text, Content... listing) {
            return new Sender(SmallLists.address(text), Set.of(listing));
        }
    }

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
        List<Sender> senders =
                new ArrayList<>(
                        List.of(
                                Sender.of(kept(ENTRIES - 1), OLD, NEW),
                                Sender.of("anybody@partner.example", OLD, NEW),
                                Sender.of("anybody@sub.partner.example"),
                                Sender.of("mallory@partner.example"),
                                Sender.of("turned@partner.example", OLD),
                                Sender.of("late@example.org"),
                                Sender.of("noreply@git.example"),
                                Sender.of("anybody@partner.examples")));
        for (int i = 0; i < ENTRIES; i += i == 0 ? 1 : 59) {
            senders.add(Sender.of(kept(i), OLD, NEW));
            senders.add(Sender.of("stranger" + i + "@kept1.example"));
            senders.add(Sender.of("stranger" + i + "@" + OLD.domain()));
        }
        for (Content content : values()) {
            for (int i = 0; i < ENTRIES; i += i == 0 ? 1 : 59) {
                senders.add(Sender.of(content.own(i), content));
            }
            senders.add(Sender.of(content.own(ENTRIES - 1), content));
            senders.add(Sender.of("any@sub." + content.domain(), content));
        }
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

    /**
     * Asks a list about every sender, and returns which of the two it is, whole.
     *
     * @throws AssertionError when it is neither
     */
    static Content of(SenderList list) {
        Set<Content> possible = possible(list, false);
        Deed.require(possible.size() == 1, "one of the lists in part, or both: " + possible);
        return possible.iterator().next();
    }

    /**
     * Asks a list about every sender while its disk may fail.
     *
     * @throws AssertionError when an answer is wrong for both lists, or some are right for one of
     *     them only and some for the other only
     */
    static void requireNothingWrong(SenderList list) {
        possible(list, true);
    }

    private static Set<Content> possible(SenderList list, boolean tolerant) {
        PlainWhitelist whitelist = new PlainWhitelist(List.of(list), Subaddressing.NONE);
        Set<Content> possible = EnumSet.allOf(Content.class);
        for (Sender sender : SENDERS) {
            Verdict verdict = whitelist.check(sender.address());
            if (verdict instanceof Listed) {
                possible.retainAll(sender.listing());
            } else if (verdict instanceof NotListed) {
                possible.removeAll(sender.listing());
            } else if (!tolerant || !(verdict instanceof Unavailable)) {
                possible.clear();
            }
            Deed.require(!possible.isEmpty(), sender + ": " + verdict);
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
        List<Entry> lines = found.stream().filter(entry -> !entry.rules().isEmpty()).toList();
        long distinct = lines.stream().distinct().count();
        long senders = found.stream().map(Entry::key).distinct().count();
        Deed.require(
                (this == NEW ? distinct >= size : distinct == size)
                        && found.stream().filter(entry -> entry.to() == null).count() == senders,
                distinct + " entries, not " + size);
    }
}
