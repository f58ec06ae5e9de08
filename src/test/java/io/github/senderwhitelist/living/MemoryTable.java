package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/** A table in memory of one server. It can be made to fail. */
public final class MemoryTable implements EntryTable {
    private static final String EPOCH = "memory";

    private final TreeMap<Entry, TreeMap<Origin, List<Rule>>> entries = new TreeMap<>(Entry.ORDER);
    private final List<Change> feed = new ArrayList<>();

    /** The epoch of each place: another one if the change before it is another. */
    private final List<String> epochs = new ArrayList<>(List.of(EPOCH));

    private int changes;
    private int transactionsAhead;
    private long tokens;
    private final List<PastChange> past = new ArrayList<>();
    private final List<Key> changed = new ArrayList<>();
    private @Nullable String failure;
    private boolean breaksOff;
    private @Nullable Write beforeAnswer;
    private @Nullable Write beforeFeed;
    private @Nullable Write afterFeed;
    private int scans;
    private int sweeps;

    /** Lets every call fail with this message, or none if it is null. */
    public synchronized void fail(@Nullable String message) {
        failure = message;
    }

    /** Returns how many times all senders were read. */
    public synchronized int scans() {
        return scans;
    }

    /** Lets the feed fail once after the changes in it. */
    synchronized void breakOff() {
        breaksOff = true;
    }

    /** Something that changes the table. */
    @FunctionalInterface
    interface Write {
        void run() throws IOException;
    }

    /** Lets something happen once between a commit and its acknowledgement. */
    synchronized void beforeAnswer(Write happens) {
        beforeAnswer = happens;
    }

    /** Lets something happen once before the feed is read. */
    synchronized void beforeFeed(Write happens) {
        beforeFeed = happens;
    }

    /** Lets something happen once after the feed is read, before its changes are visited. */
    synchronized void afterFeed(Write happens) {
        afterFeed = happens;
    }

    /** Uses a transaction up, which changes nothing; or makes it as if the last one never was. */
    synchronized void useTransactions(int more) {
        transactionsAhead += more;
    }

    /** Takes the last change back as {@link #takeBack} does, but no transaction is used again. */
    synchronized void takeBackTheNumberOnly() {
        takeBack();
        transactionsAhead++;
    }

    /** Takes the last change back, as when the database is put back to the state before it. */
    synchronized void takeBack() {
        Change last = feed.removeLast();
        epochs.removeLast();
        entries.remove(about(last.sender(), last.to()));
    }

    /** Changes the entries for a sender without a row in the feed, as nothing should. */
    synchronized void setSilently(Key sender, List<Rule> rules) {
        TreeMap<Origin, List<Rule>> before = entries.remove(about(sender, null));
        if (!rules.isEmpty()) {
            TreeMap<Origin, List<Rule>> now = before == null ? new TreeMap<>() : before;
            now.put(rules.getFirst().origin(), rules);
            entries.put(about(sender, null), now);
        }
    }

    private void check() throws IOException {
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    @Override
    public synchronized Done put(Entry entry, String who) throws IOException {
        check();
        Origin origin = entry.rules().getFirst().origin();
        if (entry.rules().stream().anyMatch(rule -> rule.origin() != origin)) {
            throw new IllegalArgumentException("several origins: " + entry);
        }
        List<Rule> before =
                entries.computeIfAbsent(about(entry.key(), entry.to()), any -> new TreeMap<>())
                        .put(origin, entry.rules());
        if (entry.rules().equals(before)) {
            return Done.none(before);
        }
        Effect effect = before == null ? Effect.CREATED : Effect.REPLACED;
        Done done = remember(effect, origin, entry, who);
        runOnce(beforeAnswer, () -> beforeAnswer = null);
        return done;
    }

    @Override
    public synchronized List<Done> putAll(List<Entry> all, String who) throws IOException {
        List<Done> done = new ArrayList<>();
        for (Entry entry : all) {
            done.add(put(entry, who));
        }
        return done;
    }

    @Override
    public synchronized List<Done> update(
            List<Target> targets, UnaryOperator<List<Rule>> change, String who) throws IOException {
        List<Done> done = new ArrayList<>();
        for (Target target : targets) {
            List<Rule> before =
                    entries.getOrDefault(about(target.sender(), target.to()), new TreeMap<>())
                            .getOrDefault(target.origin(), List.of());
            List<Rule> after = change.apply(before);
            done.add(
                    after.isEmpty()
                            ? remove(target.origin(), target.sender(), target.to(), who)
                            : put(new Entry(target.sender(), target.to(), after), who));
        }
        return done;
    }

    @Override
    public synchronized Done remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        check();
        TreeMap<Origin, List<Rule>> rules = entries.get(about(sender, to));
        if (rules == null || rules.remove(origin) == null) {
            return Done.none(List.of());
        }
        if (rules.isEmpty()) {
            entries.remove(about(sender, to));
        }
        return remember(Effect.REMOVED, origin, about(sender, to), who);
    }

    @Override
    public synchronized List<Done> removeAll(List<Target> targets, String who) throws IOException {
        List<Done> done = new ArrayList<>();
        for (Target target : targets) {
            done.add(remove(target.origin(), target.sender(), target.to(), who));
        }
        return done;
    }

    @Override
    public Share share(Key to, Origin origin, Instant day) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Key> firstToEnd(Key to, Origin origin, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized @Nullable Key nextRecipient(@Nullable Key after) {
        throw new UnsupportedOperationException();
    }

    private static Entry about(Key sender, @Nullable Key to) {
        return new Entry(sender, to, List.of());
    }

    /** Adds a change to the feed and to the history. */
    private Done remember(Effect effect, Origin origin, Entry now, String who) {
        Key to = now.to();
        long number = feed.size() + 1L;
        long transaction = number + transactionsAhead;
        feed.add(
                new Change(
                        now.key(), to, origin, now.rules(), number, transaction, ++tokens, null));
        epochs.add(EPOCH + ++changes);
        changed.addFirst(now.key());
        String key = now.key() + (to == null ? "" : " to=" + to);
        past.addFirst(new PastChange(Instant.now(), who, origin, key, now.lines()));
        return new Done(effect, now.rules(), number, transaction, tokens);
    }

    private Entry joined(Entry about) {
        List<Rule> rules = new ArrayList<>();
        entries.getOrDefault(about, new TreeMap<>()).values().forEach(rules::addAll);
        return new Entry(about.key(), about.to(), rules);
    }

    @Override
    public synchronized @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        check();
        Entry entry = joined(about(sender, to));
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (Entry each : entries.keySet()) {
            if (to == null && each.to() != null && each.key().equals(sender)) {
                kinds.add(RecipientKind.of(each.to()));
            }
        }
        return entry.rules().isEmpty() && kinds.isEmpty()
                ? null
                : new Entry(sender, to, entry.rules(), kinds);
    }

    @Override
    public synchronized List<Entry> entriesFor(Key to, int most) throws IOException {
        check();
        return entries.keySet().stream()
                .filter(each -> Objects.equals(each.to(), to))
                .limit(most)
                .map(this::joined)
                .toList();
    }

    @Override
    public synchronized FeedPosition forEach(Consumer<Entry> visitor, Unreadable unreadable)
            throws IOException {
        check();
        scans++;
        entries.keySet().forEach(each -> visitor.accept(joined(each)));
        return position();
    }

    @Override
    public synchronized Page page(@Nullable Entry after, int most) throws IOException {
        check();
        var rest = after == null ? entries : entries.tailMap(about(after.key(), after.to()), false);
        List<Entry> page = rest.keySet().stream().limit(most).map(this::joined).toList();
        return new Page(page, page.size() < rest.size());
    }

    @Override
    public synchronized long count() throws IOException {
        check();
        return entries.values().stream().mapToLong(TreeMap::size).sum();
    }

    @Override
    public synchronized FeedPosition position() throws IOException {
        check();
        int transactions = feed.size() + transactionsAhead;
        return new FeedPosition(epochs.getLast(), feed.size() + ":" + transactions);
    }

    @Override
    public LongPredicate seen(FeedPosition position) {
        String place = position.place();
        long last = Long.parseLong(place.substring(place.indexOf(':') + 1));
        return transaction -> transaction <= last;
    }

    @Override
    public synchronized @Nullable FeedPosition changes(FeedPosition after, Consumer<Change> visitor)
            throws IOException {
        check();
        runOnce(beforeFeed, () -> beforeFeed = null);
        int place = Integer.parseInt(after.place().substring(0, after.place().indexOf(':')));
        if (place > feed.size() || !epochs.get(place).equals(after.epoch())) {
            return null;
        }
        List<Change> visited = List.copyOf(feed.subList(place, feed.size()));
        FeedPosition position = position();
        runOnce(afterFeed, () -> afterFeed = null);
        visited.forEach(visitor);
        if (breaksOff) {
            breaksOff = false;
            throw new IOException("broken off");
        }
        return position;
    }

    private static void runOnce(@Nullable Write happens, Runnable forget) throws IOException {
        if (happens != null) {
            forget.run();
            happens.run();
        }
    }

    @Override
    public synchronized List<PastChange> history(Key sender, int most) throws IOException {
        check();
        List<PastChange> history = new ArrayList<>();
        for (int i = 0; i < past.size() && history.size() < most; i++) {
            if (changed.get(i).equals(sender)) {
                history.add(past.get(i));
            }
        }
        return history;
    }

    @Override
    public synchronized long forgetHistory(Key to) throws IOException {
        check();
        long before = past.size();
        for (int i = past.size() - 1; i >= 0; i--) {
            if (past.get(i).key().endsWith(" to=" + to)) {
                past.remove(i);
                changed.remove(i);
            }
        }
        return before - past.size();
    }

    @Override
    public synchronized void sweep() throws IOException {
        check();
        sweeps++;
    }

    /** Returns how often what is past was to be removed. */
    synchronized int sweeps() {
        return sweeps;
    }

    @Override
    public synchronized void close() {
        failure = "closed";
    }
}
