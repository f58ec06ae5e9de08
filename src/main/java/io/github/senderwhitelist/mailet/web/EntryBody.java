package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import spark.HaltException;

import java.util.Objects;

/**
 * The body that puts an entry: the conditions of one line. Of them a line is made and parsed as
 * that of any list, so both allow the same and complain in the same words.
 */
record EntryBody(
        boolean denied,
        @Nullable String from,
        @Nullable String until,
        @Nullable String auth,
        @Nullable String origin,
        @Nullable String note) {
    private static final String REFUSED = "The entry is not understood";

    /** Takes no condition twice, and no text for a truth value. */
    private static final ObjectReader JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .build()
                    .readerFor(EntryBody.class);

    /** Parses the text of a body. */
    static EntryBody parse(String text) {
        String wrong = "no object";
        try {
            EntryBody body = JSON.readValue(text);
            if (body != null) {
                return body;
            }
        } catch (JsonMappingException e) {
            wrong = e.getPath().isEmpty() ? wrong : e.getPath().getFirst().getFieldName();
        } catch (JsonProcessingException e) {
            wrong = e.getOriginalMessage();
        }
        throw refused(
                "%s; allowed: an object of denied (true or false), from, until, auth, origin, note"
                        + " (texts)",
                wrong);
    }

    /**
     * Returns the entry for a sender and recipients, or all if these are null.
     *
     * @throws HaltException if the body says no entry for them
     */
    Entry entry(Key sender, @Nullable Key to) {
        String line =
                (denied ? "!" : "")
                        + sender
                        + (to == null ? "" : " to=" + to)
                        + word("from", from)
                        + word("until", until)
                        + word("auth", auth)
                        + word("origin", origin)
                        + (note == null || note.isEmpty() ? "" : " note=" + note);
        return switch (ListLine.parse(line)) {
            case ListLine.Good(Entry entry)
                    when entry.key().equals(sender) && Objects.equals(entry.to(), to) ->
                    entry;
            case ListLine.Bad(String reason) -> throw Errors.of(400, REFUSED, reason);
            case ListLine.Good other -> throw refused("it is about others than the URL");
            case ListLine.Blank() -> throw refused("there is none");
        };
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

    private static HaltException refused(String details, Object... found) {
        return Errors.of(400, REFUSED, details, found);
    }
}
