package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.decision.MailKeys;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.EntryTable.Found;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a living list holds, for the questions of one mail. The first question that the cache cannot
 * answer is put to the database together with all others that may follow. For use by one thread.
 */
final class MailLines implements SenderLines {
    /** The most pairs that are asked for without knowing that the sender has entries for some. */
    private static final int MOST = 2_000;

    private final LivingLines lines;
    private final LivingLines.Table table;
    private final MailKeys keys;
    private final Map<Pair, Found> known = new HashMap<>();

    /** The versions of the senders, each from before the table was asked about it. */
    private final Map<Key, Long> versions = new HashMap<>();

    private @Nullable IOException failure;

    MailLines(LivingLines lines, LivingLines.Table table, MailKeys keys) {
        this.lines = lines;
        this.table = table;
        this.keys = keys;
    }

    @Override
    public boolean mightContainAddress(Key key) {
        return lines.mightContainAddress(key);
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        return lines.mightContainDomain(bytes, start);
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        Long before = versions.get(key);
        return lines.find(key, to, before == null ? lines.version(key) : before, this::ask);
    }

    private @Nullable Entry ask(Key key, @Nullable Key to) throws IOException {
        Pair pair = new Pair(key, to);
        if (!known.containsKey(pair)) {
            if (failure != null) {
                throw failure;
            }
            fetch(List.copyOf(missing(pair)));
        }
        Found found = Objects.requireNonNull(known.get(pair));
        if (found.failure() != null) {
            throw found.failure();
        }
        return found.entry();
    }

    /** Returns what to ask together with a pair. */
    private Set<Pair> missing(Pair pair) {
        Set<Pair> missing = new TreeSet<>();
        missing.add(pair);
        List<Key> recipients = keys.recipients();
        if (known.isEmpty()) {
            List<Key> senders =
                    keys.senders().stream()
                            .filter(key -> key.equals(pair.sender()) || lines.mayHave(key))
                            .toList();
            boolean all = senders.size() * (recipients.size() + 1L) <= MOST;
            senders.forEach(sender -> add(missing, sender, all ? recipients : List.of()));
        } else {
            add(missing, pair.sender(), recipients);
        }
        missing.removeAll(known.keySet());
        return missing;
    }

    private static void add(Set<Pair> pairs, Key sender, List<Key> recipients) {
        pairs.add(new Pair(sender, null));
        recipients.forEach(to -> pairs.add(new Pair(sender, to)));
    }

    /** Asks the table, which is not asked for this mail again where it fails. */
    private void fetch(List<Pair> pairs) throws IOException {
        for (Pair pair : pairs) {
            versions.computeIfAbsent(pair.sender(), lines::version);
        }
        try {
            List<Found> found = table.findAll(pairs);
            for (int i = 0; i < pairs.size(); i++) {
                known.put(pairs.get(i), found.get(i));
            }
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public boolean hasPersonal() {
        return lines.hasPersonal();
    }

    @Override
    public String describe() {
        return lines.describe();
    }
}
