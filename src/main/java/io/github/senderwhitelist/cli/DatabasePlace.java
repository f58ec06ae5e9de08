package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.FeedPosition;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A list in its database.
 *
 * @param who who changes it, for the history
 */
record DatabasePlace(Database database, String list, String who) implements LivingPlace {
    private EntryTable table() {
        return database.table(list);
    }

    @Override
    public long putAll(List<Entry> entries) throws IOException {
        return table().putAll(entries, who).stream()
                .filter(effect -> effect != Effect.NONE)
                .count();
    }

    @Override
    public boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException {
        return table().remove(origin, sender, to, who) == Effect.REMOVED;
    }

    @Override
    public List<String> linesFor(Key user) throws IOException {
        return table().entriesFor(user, Integer.MAX_VALUE).stream()
                .flatMap(entry -> entry.lines().stream())
                .toList();
    }

    @Override
    public void forEachLine(Consumer<String> visitor) throws IOException {
        table().forEach(entry -> entry.lines().forEach(visitor));
    }

    @Override
    public Map<String, @Nullable Object> status() throws IOException {
        FeedPosition feed = table().position();
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("list", list);
        status.put("entries", table().count());
        status.put("feed", feed.epoch());
        status.put("position", feed.value());
        return status;
    }

    @Override
    public void close() throws IOException {
        database.close();
    }
}
