package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import spark.HaltException;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The entry in the body of a request. A line is made of the members of a body and parsed as that of
 * any list, so both allow the same and complain in the same words.
 *
 * @param sender the sender that the URL names
 * @param to the recipients that the URL names, or null for all
 */
record EntryBody(Key sender, @Nullable Key to) {
    private static final ObjectReader JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build()
                    .reader();

    private static final String REFUSED = "The entry is not understood";

    private static final List<String> KNOWN =
            List.of("denied", "from", "until", "auth", "origin", "note", "lines");

    /** Returns the entry that a body says. */
    Entry entry(String body) {
        JsonNode members = object(body);
        members.fieldNames().forEachRemaining(EntryBody::requireKnown);
        JsonNode lines = members.get("lines");
        if (lines == null) {
            return parsed(line(members));
        }
        if (members.size() > 1) {
            throw refused("something beside 'lines'; allowed: nothing");
        }
        if (!lines.isArray() || lines.isEmpty()) {
            throw refused("'lines'; allowed: an array of lines of a list, at least one");
        }
        List<Rule> rules = new ArrayList<>();
        for (JsonNode line : lines) {
            rules.add(parsed(text("lines", line)).rules().getFirst());
        }
        if (rules.stream().map(Rule::origin).distinct().count() > 1) {
            throw refused("lines of several origins; allowed: one. Others have their own");
        }
        List<Rule> joined = RulesCodec.joined(rules);
        if (joined == null) {
            throw Errors.of(400, REFUSED, tooMany(sender));
        }
        return new Entry(sender, to, joined);
    }

    /** Returns that lines do not fit into one entry. */
    static String tooMany(Key sender) {
        return "more lines for '%s' than an entry can hold; allowed: %s bytes of conditions and notes"
                .formatted(sender, RulesCodec.MAX_BYTES);
    }

    private static JsonNode object(String body) {
        String wrong = "no object; allowed: {\"name\": value, …}";
        try {
            JsonNode node = JSON.readTree(body);
            if (node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            wrong = e.getOriginalMessage();
            if (e.getLocation() != null) {
                wrong += " in line " + e.getLocation().getLineNr();
            }
        }
        throw Errors.badRequest("The body is no JSON object of an entry", "%s", wrong);
    }

    private static void requireKnown(String name) {
        if (!KNOWN.contains(name)) {
            throw refused("'%s'; allowed: " + String.join(", ", KNOWN), name);
        }
    }

    /** Returns the line of a list that members say. */
    private String line(JsonNode members) {
        StringBuilder line = new StringBuilder();
        if (members.hasNonNull("denied")) {
            if (!members.get("denied").isBoolean()) {
                throw refused("'denied'; allowed: true or false");
            }
            line.append(members.get("denied").booleanValue() ? "!" : "");
        }
        line.append(subject());
        for (String name : List.of("from", "until", "auth", "origin")) {
            if (members.hasNonNull(name)) {
                line.append(' ').append(name).append('=').append(word(name, members.get(name)));
            }
        }
        if (members.hasNonNull("note") && !text("note", members.get("note")).isEmpty()) {
            line.append(" note=").append(members.get("note").textValue());
        }
        return line.toString();
    }

    private String subject() {
        return sender + (to == null ? "" : " to=" + to);
    }

    private static String text(String name, JsonNode value) {
        if (!value.isTextual()) {
            throw refused("'" + name + "'; allowed: text");
        }
        return value.textValue();
    }

    /** Returns a value that is one word of a line, so that it cannot say anything else beside. */
    private static String word(String name, JsonNode value) {
        String word = text(name, value);
        if (word.chars().anyMatch(c -> c == '"' || HiddenCharacters.isWhiteSpace(c))) {
            throw refused("%s='%s'; allowed: no blanks and no quotes in it", name, word);
        }
        return word;
    }

    /** Returns the entry of a line, which must be about this sender and these recipients. */
    private Entry parsed(String line) {
        Entry entry =
                switch (ListLine.parse(line)) {
                    case ListLine.Good(Entry good) -> good;
                    case ListLine.Bad(String reason) -> throw Errors.of(400, REFUSED, reason);
                    case ListLine.Blank() -> throw refused("a line without an entry");
                };
        if (!entry.key().equals(sender) || !Objects.equals(entry.to(), to)) {
            throw refused(
                    "'%s' is about others than the URL; allowed: lines for '%s'", line, subject());
        }
        return entry;
    }

    private static HaltException refused(String details, Object... found) {
        return Errors.badRequest(REFUSED, details, found);
    }
}
