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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** Senders, and which of the two list each. */
    private static final Map<Address, Set<Content>> SENDERS = senders();

    /** Returns its entries, a line each. */
    private List<String> entries() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            entries.add(kept(i));
            entries.add(own(i));
        }
        for (int i = 0; i < 100; i++) {
            entries.add("noreply@git.example to=" + (i % 5 == 0 ? own(i) : kept(i)));
        }
        String turned = (this == OLD ? "" : "!") + "turned@partner.example";
        entries.addAll(List.of("@partner.example", "!mallory@partner.example", turned));
        entries.addAll(List.of("@." + domain(), "late@example.org until=2020-01-01"));
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

    private static Map<Address, Set<Content>> senders() {
        Map<Address, Set<Content>> senders = new LinkedHashMap<>();
        Set<Content> both = Set.of(OLD, NEW);
        for (String listed : List.of(kept(ENTRIES - 1), "anybody@partner.example")) {
            senders.put(SmallLists.address(listed), both);
        }
        senders.put(SmallLists.address("turned@partner.example"), Set.of(OLD));
        for (String name :
                List.of("a@sub.partner", "mallory@partner", "noreply@git", "a@partners")) {
            senders.put(SmallLists.address(name + ".example"), Set.of());
        }
        senders.put(SmallLists.address("late@example.org"), Set.of());
        for (Content content : values()) {
            for (int i = 0; i < ENTRIES; i += i == 0 ? 1 : 59) {
                senders.put(SmallLists.address(kept(i)), both);
                senders.put(SmallLists.address(content.own(i)), Set.of(content));
                senders.put(SmallLists.address("no" + i + "@" + content.domain()), Set.of());
            }
            senders.put(SmallLists.address(content.own(ENTRIES - 1)), Set.of(content));
            senders.put(SmallLists.address("any@sub." + content.domain()), Set.of(content));
        }
        return senders;
    }

    /** Returns the content as a text list. */
    byte[] text() {
        List<String> lines = entries();
        if (this == NEW) {
            // Duplicates make fewer keys than lines.
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
        SENDERS.forEach(
                (sender, listing) -> {
                    Verdict verdict = whitelist.check(sender);
                    if (verdict instanceof Listed) {
                        possible.retainAll(listing);
                    } else if (verdict instanceof NotListed) {
                        possible.removeAll(listing);
                    } else if (!tolerant || !(verdict instanceof Unavailable)) {
                        possible.clear();
                    }
                    Deed.require(!possible.isEmpty(), sender + ": " + verdict);
                });
        return possible;
    }

    /**
     * Returns which of the two a snapshot is, after going through all of it.
     *
     * @throws AssertionError when it is neither
     */
    static Content of(Disk disk, Path file) {
        try (Snapshot snapshot = Snapshot.open(disk, file)) {
            Generation generation = Generation.exact(snapshot, 0);
            Content content = of((SenderList) () -> generation);
            content.requireEntries(Builds.entries(snapshot.store()));
            return content;
        } catch (IOException e) {
            throw new AssertionError(file + " is not whole", e);
        }
    }

    /** Requires that these are all its entries, each once; the new one may have many more. */
    void requireEntries(List<Entry> found) {
        List<Entry> lines = found.stream().filter(entry -> !entry.rules().isEmpty()).toList();
        int size = entries().size();
        long distinct = lines.stream().distinct().count();
        long senders = found.stream().map(Entry::key).distinct().count();
        Deed.require(
                (this == NEW ? distinct >= size : distinct == size)
                        && found.stream().filter(entry -> entry.to() == null).count() == senders,
                distinct + " entries, not " + size);
    }
}
