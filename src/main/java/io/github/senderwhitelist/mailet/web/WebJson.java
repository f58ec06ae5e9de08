package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parser of JSON in requests. Only Jackson's tokens are used, which both lines of James bring
 * and in which they do not differ. What is read has no depth, so it cannot exhaust the stack.
 */
final class WebJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private WebJson() {}

    /**
     * Reads an object whose members are text, booleans, or arrays of text, each name once. Members
     * that are null are left out.
     *
     * @throws WebException if the text is anything else
     */
    static Map<String, Object> readObject(String text) throws WebException {
        try (JsonParser in = FACTORY.createParser(text)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw wrong("no object; allowed: {\"name\": value, …}");
            }
            Map<String, Object> members = readMembers(in);
            if (in.nextToken() != null) {
                throw wrong("something after the object; allowed: nothing");
            }
            return members;
        } catch (JsonProcessingException e) {
            throw wrong(
                    Text.shown(e.getOriginalMessage())
                            + (e.getLocation() == null
                                    ? ""
                                    : " (line "
                                            + e.getLocation().getLineNr()
                                            + ", column "
                                            + e.getLocation().getColumnNr()
                                            + ")"));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A string does not fail.
        }
    }

    private static Map<String, Object> readMembers(JsonParser in) throws IOException, WebException {
        Map<String, Object> members = new LinkedHashMap<>();
        Set<String> names = new HashSet<>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.getText();
            if (!names.add(name)) {
                throw wrong("'" + Text.shown(name) + "' twice; allowed: once");
            }
            Object value = readValue(in, name);
            if (value != null) {
                members.put(name, value);
            }
        }
        return members;
    }

    private static @Nullable Object readValue(JsonParser in, String name)
            throws IOException, WebException {
        return switch (in.nextToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> in.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case START_ARRAY -> readTexts(in, name);
            default -> throw wrong(mistyped(name));
        };
    }

    private static List<String> readTexts(JsonParser in, String name)
            throws IOException, WebException {
        List<String> texts = new ArrayList<>();
        while (in.nextToken() == JsonToken.VALUE_STRING) {
            texts.add(in.getText());
        }
        if (in.currentToken() != JsonToken.END_ARRAY) {
            throw wrong(mistyped(name));
        }
        return texts;
    }

    private static String mistyped(String name) {
        return "'" + Text.shown(name) + "'; allowed: text, true, false, or an array of texts";
    }

    private static WebException wrong(String details) {
        return WebException.badRequest("The body is no JSON object of an entry", details);
    }
}
