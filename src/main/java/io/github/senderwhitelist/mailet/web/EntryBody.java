package io.github.senderwhitelist.mailet.web;

import static com.fasterxml.jackson.databind.cfg.CoercionAction.Fail;
import static com.fasterxml.jackson.databind.cfg.CoercionInputShape.Boolean;
import static com.fasterxml.jackson.databind.cfg.CoercionInputShape.Float;
import static com.fasterxml.jackson.databind.cfg.CoercionInputShape.Integer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;

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
 * The body that puts an entry: the conditions of one line, or several lines as a list has them. Of
 * the conditions a line is made and parsed as that of any list, so both allow the same and complain
 * in the same words.
 */
record EntryBody(
        @Nullable Boolean denied,
        @Nullable String from,
        @Nullable String until,
        @Nullable String auth,
        @Nullable String origin,
        @Nullable String note,
        @Nullable List<String> lines) {
    private static final String REFUSED = "The entry is not understood";
    private static final ObjectReader JSON = reader();

    /** Returns a reader that takes nothing for something else. */
    private static ObjectReader reader() {
        return JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .withCoercionConfig(
                        LogicalType.Textual,
                        text ->
                                text.setCoercion(Boolean, Fail)
                                        .setCoercion(Float, Fail)
                                        .setCoercion(Integer, Fail))
                .build()
                .readerFor(EntryBody.class);
    }

    /** Parses the text of a body. */
    static EntryBody parse(String text) {
        String wrong = "no object; allowed: {\"name\": value, …}";
        try {
            EntryBody body = JSON.readValue(text);
            if (body != null) {
                return body;
            }
        } catch (JsonMappingException e) {
            if (!e.getPath().isEmpty()) {
                String name = e.getPath().getFirst().getFieldName();
                throw refused("'%s'; allowed: " + allowed(name), name);
            }
        } catch (JsonProcessingException e) {
            wrong = e.getOriginalMessage();
            if (e.getLocation() != null) {
                wrong += " in line " + e.getLocation().getLineNr();
            }
        }
        throw Errors.badRequest("The body is no JSON object of an entry", "%s", wrong);
    }

    /** Returns what a member may be, or which members there may be. */
    private static String allowed(String name) {
        return switch (name) {
            case "denied" -> "true or false";
            case "lines" -> "an array of lines of a list";
            case "from", "until", "auth", "origin", "note" -> "text";
            default -> "denied, from, until, auth, origin, note, lines";
        };
    }

    /**
     * Returns the entry for a sender and recipients, or all if these are null.
     *
     * @throws HaltException if the body says no entry for them
     */
    Entry entry(Key sender, @Nullable Key to) {
        String subject = sender + (to == null ? "" : " to=" + to);
        if (lines == null) {
            return parsed(line(subject), subject, sender, to);
        }
        if (!equals(new EntryBody(null, null, null, null, null, null, lines))) {
            throw refused("something beside 'lines'; allowed: nothing");
        }
        List<Rule> rules = new ArrayList<>();
        for (@Nullable String line : lines) {
            rules.add(parsed(String.valueOf(line), subject, sender, to).rules().getFirst());
        }
        if (rules.isEmpty() || rules.stream().map(Rule::origin).distinct().count() > 1) {
            throw refused("'lines'; allowed: lines of a list, at least one, all of one origin");
        }
        if (!RulesCodec.fit(rules)) {
            throw Errors.of(400, REFUSED, tooMany(sender));
        }
        return new Entry(sender, to, RulesCodec.ordered(rules));
    }

    /** Returns that lines do not fit into one entry. */
    static String tooMany(Key sender) {
        return "more lines for '%s' than an entry can hold; allowed: %s bytes of conditions and notes"
                .formatted(sender, RulesCodec.MAX_BYTES);
    }

    /** Returns the line of a list that the conditions say. */
    private String line(String subject) {
        return (denied != null && denied ? "!" : "")
                + subject
                + word("from", from)
                + word("until", until)
                + word("auth", auth)
                + word("origin", origin)
                + (note == null || note.isEmpty() ? "" : " note=" + note);
    }

    /** Returns a value that is one word of a line, so that it cannot say anything else beside. */
    private static String word(String name, @Nullable String value) {
        if (value == null) {
            return "";
        }
        if (value.chars().anyMatch(c -> c == '"' || HiddenCharacters.isWhiteSpace(c))) {
            throw refused("%s='%s'; allowed: no blanks and no quotes in it", name, value);
        }
        return " " + name + "=" + value;
    }

    /** Returns the entry of a line, which must be about this sender and these recipients. */
    private static Entry parsed(String line, String subject, Key sender, @Nullable Key to) {
        Entry entry =
                switch (ListLine.parse(line)) {
                    case ListLine.Good(Entry good) -> good;
                    case ListLine.Bad(String reason) -> throw Errors.of(400, REFUSED, reason);
                    case ListLine.Blank() -> throw refused("a line without an entry");
                };
        if (!entry.key().equals(sender) || !Objects.equals(entry.to(), to)) {
            throw refused(
                    "'%s' is about others than the URL; allowed: lines for '%s'", line, subject);
        }
        return entry;
    }

    private static HaltException refused(String details, Object... found) {
        return Errors.badRequest(REFUSED, details, found);
    }
}
