package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.FeedPosition;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The feed of the changes of a list. A change has a row there, written in the transaction that
 * makes it, after that has locked its entry. So of two changes of an entry, the one that is
 * committed later has the greater number.
 */
final class FeedLog {
    private final Engine engine;
    private final FeedReader reader;
    private final String list;

    FeedLog(Engine engine, String list) {
        this.engine = engine;
        this.reader = engine.feed();
        this.list = list;
    }

    /**
     * The state of the feed in the list's row.
     *
     * @param ended whether the feed must begin again: an import has not ended and is dead, or the
     *     row is from the dump of another database, whose changes have other numbers
     * @param importing the import that is under way, or empty
     */
    private record State(String epoch, long keptFrom, boolean ended, String importing) {}

    /**
     * Adds a change.
     *
     * @param effect the effect of the change
     * @param rules the rules of the entry after the change
     */
    Done add(
            Connection connection, int id, PairKey key, int origin, Effect effect, List<Rule> rules)
            throws SQLException, IOException {
        return Sql.query(
                        connection,
                        "insert into whitelist_feed(list, sender, recipient, origin, at)"
                                + " values (?, ?, ?, ?, ?) returning seq, "
                                + reader.transaction()
                                + ", token",
                        row ->
                                new Done(
                                        effect,
                                        rules,
                                        row.getLong(1),
                                        row.getLong(2),
                                        row.getLong(3)),
                        id,
                        key.sender(),
                        key.recipient(),
                        origin,
                        System.currentTimeMillis())
                .getFirst();
    }

    /** Returns the number of the list, whose row is made if it is missing. */
    int id(Connection connection) throws SQLException, IOException {
        String select = "select id from whitelist_list where name = ?";
        List<Integer> id = Sql.query(connection, select, row -> row.getInt(1), list);
        if (id.isEmpty()) {
            Sql.update(
                    connection,
                    "insert into whitelist_list(name, epoch, kept_from) values (?, ?, 0)"
                            + " on conflict (name) do nothing",
                    list,
                    UUID.randomUUID().toString());
            id = Sql.query(connection, select, row -> row.getInt(1), list);
        }
        return id.getFirst();
    }

    private @Nullable State state(Connection connection) throws SQLException, IOException {
        List<State> states =
                Sql.query(
                        connection,
                        "select epoch || "
                                + reader.incarnation()
                                + ", kept_from, import is not null and import_until < "
                                + engine.clock()
                                + " or kept_from > "
                                + reader.greatest()
                                + ", coalesce(import, '') from whitelist_list where name = ?",
                        row ->
                                new State(
                                        row.getString(1),
                                        row.getLong(2),
                                        row.getBoolean(3),
                                        row.getString(4)),
                        list);
        return states.isEmpty() ? null : states.getFirst();
    }

    /** Returns the present position of the feed, or null if it must {@link #begin} first. */
    @Nullable FeedPosition position(Connection connection) throws SQLException, IOException {
        State state = state(connection);
        return state == null || state.ended
                ? null
                : position(connection, state, new Newest(), FeedPlace.MOST);
    }

    /**
     * Returns where the feed is.
     *
     * @param newest the changes that were read before, of which the last ones become witnesses
     * @param most how many of those that are there become witnesses, too
     */
    private FeedPosition position(Connection connection, State state, Newest newest, int most)
            throws SQLException, IOException {
        String here = reader.here(connection);
        reader.newest(connection, list, here, most).reversed().forEach(newest::add);
        return new FeedPosition(
                state.epoch, new FeedPlace(here, newest.all(), state.importing).text());
    }

    /** Returns what {@link io.github.senderwhitelist.living.EntryTable#seen} does. */
    LongPredicate seen(FeedPosition position) {
        String place = FeedPlace.placeOf(position.place());
        return place == null ? transaction -> false : reader.seen(place);
    }

    /** Begins the feed, or begins it again if it has ended. */
    boolean begin(Connection connection) throws SQLException, IOException {
        id(connection);
        State state = state(connection);
        if (state != null && state.ended) {
            beginAgain(connection, null);
        }
        return true;
    }

    /**
     * Makes all servers that follow the list read it again.
     *
     * @param ended the import that has ended by this, or null for any
     */
    void beginAgain(Connection connection, @Nullable ImportMark ended) throws SQLException {
        Sql.update(
                connection,
                "update whitelist_list set epoch = ?, kept_from = 0,"
                        + " import = nullif(import, coalesce(?, import)) where name = ?",
                UUID.randomUUID().toString(),
                ended == null ? null : ended.text(),
                list);
    }

    /**
     * Visits the changes after a position.
     *
     * @return the position after them; null, and nothing is visited, if they cannot be read
     */
    @Nullable FeedPosition poll(Connection connection, FeedPosition after, Consumer<Change> visitor)
            throws SQLException, IOException {
        State state = state(connection);
        FeedPlace place = FeedPlace.parse(after.place());
        if (state == null || place == null || !goesOn(connection, state, place, after.epoch())) {
            return null;
        }
        Newest newest = new Newest();
        reader.changes(
                connection,
                list,
                place.place(),
                each -> {
                    FeedReader.Row row = FeedReader.Row.read(each);
                    newest.add(reader.witness(row));
                    visitor.accept(change(row));
                });
        if (newest.all().isEmpty()) {
            place.witnesses().forEach(newest::add);
        }
        return position(connection, state, newest, 1);
    }

    /** Returns whether the feed goes on from a position. */
    boolean goesOn(Connection connection, FeedPosition from) throws SQLException, IOException {
        State state = state(connection);
        FeedPlace place = FeedPlace.parse(from.place());
        return state != null && place != null && goesOn(connection, state, place, from.epoch());
    }

    private boolean goesOn(Connection connection, State state, FeedPlace place, String epoch)
            throws SQLException, IOException {
        return !state.ended
                && state.epoch.equals(epoch)
                // An import that is gone has not ended, which would be another epoch.
                && ImportMark.goesOn(place.importing(), state.importing)
                && reader.isKept(connection, place.place(), state.keptFrom)
                && areThere(connection, place, state.keptFrom);
    }

    private boolean areThere(Connection connection, FeedPlace place, long keptFrom)
            throws SQLException, IOException {
        List<FeedPlace.Witness> kept =
                place.witnesses().stream()
                        .filter(witness -> !reader.mayBeSwept(witness, keptFrom))
                        .toList();
        // Where nothing that was seen is left, nothing says whether the database was put back.
        return (keptFrom == 0 || !kept.isEmpty())
                && reader.count(connection, list, kept) == kept.size()
                && reader.newest(connection, list, place.place(), 1).stream()
                        .allMatch(
                                newest ->
                                        reader.mayBeSwept(newest, keptFrom)
                                                || place.witnesses().contains(newest));
    }

    /** The last change of each of the last groups that were read. */
    private static final class Newest {
        private final LinkedHashMap<Long, FeedPlace.Witness> ofEach = new LinkedHashMap<>();

        void add(FeedPlace.Witness witness) {
            ofEach.put(witness.group(), witness);
            if (ofEach.size() > FeedPlace.MOST) {
                ofEach.pollFirstEntry();
            }
        }

        List<FeedPlace.Witness> all() {
            return List.copyOf(ofEach.values());
        }
    }

    private static Change change(FeedReader.Row row) throws IOException {
        PairKey key = row.key();
        Origin origin = EntryRow.originOf(row.origin());
        List<Rule> rules = List.of();
        String unreadable = null;
        try {
            rules = EntryRow.rules(key, row.origin(), row.rules());
        } catch (IOException e) {
            unreadable = e.getMessage();
        }
        return new Change(
                key.senderKey(),
                key.recipientKey(),
                origin,
                rules,
                row.number(),
                row.transaction(),
                row.token(),
                unreadable);
    }

    /** Removes some changes that are past. Returns whether there may be more. */
    boolean sweep(Connection connection, Instant before, int most)
            throws SQLException, IOException {
        long keptFrom = reader.sweep(connection, list, before.toEpochMilli(), most);
        Sql.update(
                connection,
                "update whitelist_list set kept_from = ? where name = ? and kept_from < ?",
                keptFrom,
                list,
                keptFrom);
        return keptFrom > 0;
    }
}
