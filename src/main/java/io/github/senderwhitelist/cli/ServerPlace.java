package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Json;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.cli.WebClient.Answer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** A list of a running James, over its WebAdmin. */
final class ServerPlace implements LivingPlace {
    /** The server takes a little more. */
    private static final int LONGEST_BODY = 1_000_000;

    private static final int PAGE = 5_000;

    /** How often a change is tried while others change the same entry. */
    private static final int ROUNDS = 10;

    private final WebClient client;
    private final String list;
    private final Consumer<String> notes;
    private final String entries;

    private ServerPlace(WebClient client, String list, Consumer<String> notes) {
        this.client = client;
        this.list = list;
        this.notes = notes;
        this.entries = "/whitelists/" + WebClient.encoded(list) + "/entries";
    }

    /**
     * Opens a list.
     *
     * @param notes takes what people should know beside the result, in lines
     * @throws IOException if the server cannot be asked, or has no such list
     */
    static ServerPlace open(WebClient client, String list, Consumer<String> notes)
            throws IOException {
        ServerPlace place = new ServerPlace(client, list, notes);
        place.status();
        return place;
    }

    private JsonObject answer(String verb, String path, @Nullable String lines) throws IOException {
        return found(client.ask(verb, path, lines)).body();
    }

    private Answer found(Answer answer) throws IOException {
        if (!answer.found()) {
            throw new IOException("the server does not have the list '" + list + "' any more");
        }
        return answer;
    }

    @Override
    public Put put(Entry entry) throws IOException {
        JsonObject answer = answer("PUT", path(entry.key(), entry.to()), body(entry.lines()));
        List<String> before = new ArrayList<>();
        lines(answer, "replaced").forEach(line -> before.add(line.getString("line", "")));
        List<String> lost = new ArrayList<>();
        answer.getArray("lost", new JsonArray()).forEach(each -> lost.add(String.valueOf(each)));
        return new Put(answer.has("lines"), before, lost);
    }

    @Override
    public void add(Entry entry) throws IOException {
        String path = path(entry.key(), entry.to());
        Origin origin = entry.rules().getFirst().origin();
        for (int i = 0; i < ROUNDS; i++) {
            Answer there = client.ask("GET", path, null);
            Set<String> lines = new LinkedHashSet<>(lines(there.body(), origin));
            if (lines.addAll(entry.lines())) {
                String body = body(lines);
                Answer put =
                        there.found()
                                ? client.ask("PUT", path, body, "If-Match", tag(there))
                                : client.ask("PUT", path, body, "If-None-Match", "*");
                if (!found(put).asExpected()) {
                    continue;
                }
            }
            return;
        }
        throw new IOException(
                "the entry of "
                        + entry.key()
                        + " for "
                        + entry.to()
                        + " changes all the time; run the command once more");
    }

    private static String body(Collection<String> lines) {
        return Json.compact(Map.of("lines", lines));
    }

    private static String tag(Answer answer) throws IOException {
        if (answer.tag() == null) {
            throw new IOException(
                    "the server's answer has no header ETag, without which changes of others could"
                            + " be lost; does a proxy before it take that out?");
        }
        return answer.tag();
    }

    @Override
    public long putAll(List<Entry> all, Replacements replacements) throws IOException {
        long put = 0;
        StringBuilder body = new StringBuilder();
        long bytes = 0;
        for (Entry entry : all) {
            String lines = String.join("\n", entry.lines()) + '\n';
            int length = lines.getBytes(UTF_8).length;
            if (bytes + length > LONGEST_BODY) {
                put += patch(body.toString());
                body.setLength(0);
                bytes = 0;
            }
            body.append(lines);
            bytes += length;
        }
        return put + (bytes == 0 ? 0 : patch(body.toString()));
    }

    private long patch(String lines) throws IOException {
        JsonObject answer = answer("PATCH", entries, lines);
        if (answer.getLong("bad") > 0) {
            JsonArray complaints = answer.getArray("complaints", new JsonArray());
            throw new IOException(
                    "the server refused "
                            + answer.getLong("bad")
                            + " lines, and took the others: "
                            + complaints.getObject(0, new JsonObject()).getString("reason"));
        }
        return answer.getLong("put");
    }

    @Override
    public boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException {
        String entry = path(sender, to);
        if (lines(client.ask("GET", entry, null).body(), origin).isEmpty()) {
            return false;
        }
        JsonObject answer = answer("DELETE", entry + "&origin=" + origin.label(), null);
        for (Object by : answer.getArray("stillListedBy", new JsonArray())) {
            if (by instanceof JsonObject other) {
                List<String> lines = new ArrayList<>();
                lines(other).forEach(line -> lines.add(line.getString("line", "")));
                notes.accept(
                        sender
                                + " is still listed by '"
                                + other.getString("list")
                                + "': "
                                + String.join("; ", lines));
            }
        }
        return true;
    }

    @Override
    public void removeKnown(Entry known) throws IOException {
        Origin origin = known.rules().getFirst().origin();
        String path = path(known.key(), known.to());
        Answer there = client.ask("GET", path, null);
        List<String> lines = lines(there.body(), origin);
        if (!lines.isEmpty() && known.lines().containsAll(lines)) {
            found(
                    client.ask(
                            "DELETE",
                            path + "&origin=" + origin.label(),
                            null,
                            "If-Match",
                            tag(there)));
        }
    }

    private String path(Key sender, @Nullable Key to) {
        return entries
                + "?sender="
                + WebClient.encoded(sender.toString())
                + (to == null ? "" : "&for=" + WebClient.encoded(to.toString()));
    }

    /** Returns what an origin has. */
    private static List<String> lines(JsonObject answer, Origin origin) {
        return lines(answer).stream()
                .filter(line -> origin.label().equals(line.getString("origin")))
                .map(line -> line.getString("line", ""))
                .toList();
    }

    private static List<JsonObject> lines(JsonObject answer) {
        return lines(answer, "lines");
    }

    private static List<JsonObject> lines(JsonObject answer, String name) {
        return answer.getArray(name, new JsonArray()).stream()
                .filter(JsonObject.class::isInstance)
                .map(JsonObject.class::cast)
                .toList();
    }

    @Override
    public List<String> linesFor(Key user) throws IOException {
        String path = "/whitelists/for/" + WebClient.encoded(user.toString());
        List<String> found = new ArrayList<>();
        for (Object each : answer("GET", path, null).getArray("lists", new JsonArray())) {
            if (each instanceof JsonObject kept && list.equals(kept.getString("list"))) {
                lines(kept).forEach(line -> found.add(line.getString("line", "")));
            }
        }
        return found;
    }

    @Override
    public void forEachLine(Consumer<String> visitor) throws IOException {
        String next = "";
        while (next != null) {
            JsonObject page = answer("GET", entries + "?limit=" + PAGE + next, null);
            for (JsonObject line : lines(page)) {
                visitor.accept(Objects.requireNonNull(line.getString("line"), "line"));
            }
            String after = page.getString("next");
            next = after == null ? null : "&after=" + WebClient.encoded(after);
        }
    }

    @Override
    public Map<String, @Nullable Object> status() throws IOException {
        List<String> names = new ArrayList<>();
        for (Object each : answer("GET", "/whitelists", null).getArray("lists", new JsonArray())) {
            if (each instanceof JsonObject state) {
                String name = state.getString("name", "");
                if (name.equals(list)) {
                    return named(state);
                }
                names.add(name);
            }
        }
        throw new IOException(
                "the server has no open living list '"
                        + list
                        + "'; open are: "
                        + (names.isEmpty() ? "none" : String.join(", ", names)));
    }

    private static Map<String, @Nullable Object> named(JsonObject state) {
        Map<String, @Nullable Object> status = new LinkedHashMap<>(state);
        status.remove("name");
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        named.put("list", state.getString("name"));
        named.putAll(status);
        return named;
    }

    @Override
    public void close() {
        client.close();
    }
}
