package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.living.EntryTable.Found;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The lookup of a list's entries for pairs of senders and recipients. For pairs with all
 * recipients, it also finds the kinds of recipients that the sender has other entries for.
 */
final class Finder {
    /** The most pairs of a statement. */
    private static final int MOST = 1_000;

    private static final String ENTRY =
            "select %s, e.origin, e.rules from %s where e.list = "
                    + Schema.LIST
                    + " and e.sender = %s and e.recipient = %s";
    private static final String ORDER = " order by 1, 2";

    /** Selects one pair. */
    private static final String ONE =
            ENTRY.formatted("cast(1 as bigint)", "whitelist_entry e", "?", "?");

    private static final String ONE_WITH_KINDS = ONE + kinds("cast(1 as bigint)", "", "?");

    /** Selects the pairs in arrays. */
    private static final String MANY =
            ENTRY.formatted(
                            "u.place",
                            "unnest(cast(? as bytea[]), cast(? as bytea[])) with ordinality as"
                                    + " u(sender, recipient, place), whitelist_entry e",
                            "u.sender",
                            "u.recipient")
                    + kinds(
                            "u.place",
                            " from unnest(cast(? as bytea[]), cast(? as bigint[])) as u(sender,"
                                    + " place)",
                            "u.sender");

    private final Engine engine;
    private final String list;

    Finder(Engine engine, String list) {
        this.engine = engine;
        this.list = list;
    }

    private static String kinds(String place, String from, String sender) {
        StringBuilder questions = new StringBuilder();
        for (RecipientKind kind : RecipientKind.values()) {
            questions.append(
                    " union all select %s, cast(-%s as smallint), cast(null as varchar)%s"
                                    .formatted(place, kind.code(), from)
                            + " where exists (select 1 from whitelist_entry where list = "
                            + Schema.LIST
                            + " and sender = "
                            + sender
                            + " and recipient >= ? and recipient < ?)");
        }
        return questions.toString();
    }

    /** Returns the result for each pair, in their order. */
    List<Found> find(Connection connection, List<Pair> pairs) throws SQLException, IOException {
        List<Found> found = new ArrayList<>();
        int most = engine.readsArrays() ? MOST : 1;
        for (int from = 0; from < pairs.size(); from += most) {
            found.addAll(
                    findSome(connection, pairs.subList(from, Math.min(from + most, pairs.size()))));
        }
        return found;
    }

    private List<Found> findSome(Connection connection, List<Pair> pairs)
            throws SQLException, IOException {
        List<Answer> answers = pairs.stream().map(Answer::new).toList();
        if (pairs.size() == 1) {
            Answer only = answers.getFirst();
            String sql = only.pair.to() == null ? ONE_WITH_KINDS : ONE;
            read(connection, sql, answers, one(only));
        } else {
            read(connection, MANY, answers, many(connection, answers));
        }
        return answers.stream().map(this::found).toList();
    }

    private Found found(Answer answer) {
        try {
            return new Found(answer.entry(), null);
        } catch (IOException e) {
            return new Found(null, new IOException("list '" + list + "': " + e.getMessage(), e));
        }
    }

    private static void read(
            Connection connection, String sql, List<Answer> answers, List<Object> values)
            throws SQLException, IOException {
        Sql.query(
                connection,
                sql + ORDER,
                row -> answers.get((int) row.getLong(1) - 1).add(row),
                values.toArray());
    }

    private List<Object> one(Answer answer) {
        List<Object> values =
                new ArrayList<>(List.of(list, answer.key.sender(), answer.key.recipient()));
        if (answer.pair.to() == null) {
            for (RecipientKind kind : RecipientKind.values()) {
                values.addAll(List.of(list, answer.key.sender(), from(kind), end(kind)));
            }
        }
        return values;
    }

    private List<Object> many(Connection connection, List<Answer> answers) throws SQLException {
        List<byte[]> withKinds = new ArrayList<>();
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i).pair.to() == null) {
                withKinds.add(answers.get(i).key.sender());
                places.add(i + 1L);
            }
        }
        Array senders = Sql.array(connection, "bytea", withKinds, key -> key);
        Array numbers = Sql.array(connection, "int8", places, place -> place);
        List<PairKey> keys = answers.stream().map(answer -> answer.key).toList();
        List<Object> values =
                new ArrayList<>(
                        List.of(
                                Sql.array(connection, "bytea", keys, PairKey::sender),
                                Sql.array(connection, "bytea", keys, PairKey::recipient),
                                list));
        for (RecipientKind kind : RecipientKind.values()) {
            values.addAll(List.of(senders, numbers, list, from(kind), end(kind)));
        }
        return values;
    }

    /** Returns where recipients of a kind begin. */
    private static byte[] from(RecipientKind kind) {
        return new byte[] {kind.code()};
    }

    private static byte[] end(RecipientKind kind) {
        return new byte[] {(byte) (kind.code() + 1)};
    }

    /** The rows of a pair. */
    private static final class Answer {
        final Pair pair;
        final PairKey key;
        final List<EntryRow> rows = new ArrayList<>();
        final Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);

        Answer(Pair pair) {
            this.pair = pair;
            this.key = PairKey.of(pair.sender(), pair.to());
        }

        boolean add(ResultSet row) throws SQLException {
            int origin = row.getInt(2);
            return origin < 0
                    ? kinds.add(RecipientKind.ofCode((byte) -origin))
                    : rows.add(new EntryRow(key, origin, row.getString(3)));
        }

        @Nullable Entry entry() throws IOException {
            return rows.isEmpty() && kinds.isEmpty()
                    ? null
                    : new Entry(pair.sender(), pair.to(), EntryRow.rules(rows), kinds);
        }
    }
}
