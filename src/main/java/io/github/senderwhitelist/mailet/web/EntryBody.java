package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The entries in the body of a request. A line is made of the members of a body and parsed as that
 * of any list, so both allow the same and complain in the same words.
 */
final class EntryBody {
    /** The members that become conditions as they are. */
    private static final List<String> WORDS = List.of("from", "until", "auth", "origin");

    private static final Set<String> KNOWN =
            Set.of("denied", "from", "until", "auth", "origin", "note");

    private static final String LINES = "lines";
    private static final String REFUSED = "The entry is not understood";

    private EntryBody() {}

    /**
     * Returns the entry that a body says.
     *
     * @param sender the sender that the URL names
     * @param to the recipients that the URL names, or null for all
     */
    static Entry entry(Key sender, @Nullable Key to, String body) throws WebException {
        Map<String, Object> members = WebJson.readObject(body);
        if (!members.containsKey(LINES)) {
            return parsed(sender, to, line(sender, to, members));
        }
        if (members.size() > 1) {
            throw refused("something beside 'lines'; allowed: nothing");
        }
        if (!(members.get(LINES) instanceof List<?> lines) || lines.isEmpty()) {
            throw refused("'lines'; allowed: an array of lines of a list, at least one");
        }
        List<Rule> rules = new ArrayList<>();
        Origin origin = null;
        for (Object line : lines) {
            Rule rule = parsed(sender, to, String.valueOf(line)).rules().getFirst();
            if (origin != null && rule.origin() != origin) {
                throw refused("lines of several origins; allowed: one. Others have their own");
            }
            origin = rule.origin();
            rules.add(rule);
        }
        return joined(sender, to, rules);
    }

    /** Returns the line of a list that members say. */
    private static String line(Key sender, @Nullable Key to, Map<String, Object> members)
            throws WebException {
        for (String name : members.keySet()) {
            if (!KNOWN.contains(name)) {
                throw refused(
                        "'"
                                + Text.shown(name)
                                + "'; allowed: denied, from, until, auth, origin, note; or lines"
                                + " alone");
            }
        }
        Object denied = members.getOrDefault("denied", false);
        if (!(denied instanceof Boolean)) {
            throw refused("'denied'; allowed: true or false");
        }
        StringBuilder line = new StringBuilder((boolean) denied ? "!" : "").append(sender);
        if (to != null) {
            line.append(" to=").append(to);
        }
        for (String name : WORDS) {
            String value = text(name, members);
            if (value != null) {
                line.append(' ').append(name).append('=').append(word(name, value));
            }
        }
        String note = text("note", members);
        if (note != null && !note.isEmpty()) {
            line.append(" note=").append(note);
        }
        return line.toString();
    }

    private static @Nullable String text(String name, Map<String, Object> members)
            throws WebException {
        Object value = members.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw refused("'" + name + "'; allowed: text");
    }

    /** Returns a value that is one word of a line, so that it cannot say anything else beside. */
    private static String word(String name, String value) throws WebException {
        if (value.chars().anyMatch(c -> c == '"' || HiddenCharacters.isWhiteSpace(c))) {
            throw refused(
                    name + "='" + Text.shown(value) + "'; allowed: no blanks and no quotes in it");
        }
        return value;
    }

    /** Returns the entry of a line, which must be about this sender and these recipients. */
    private static Entry parsed(Key sender, @Nullable Key to, String line) throws WebException {
        Entry entry =
                switch (ListLine.parse(line)) {
                    case ListLine.Good(Entry good) -> good;
                    case ListLine.Bad(String reason) -> throw refused(reason);
                    case ListLine.Blank() -> throw refused("a line without an entry");
                };
        if (!entry.key().equals(sender) || !Objects.equals(entry.to(), to)) {
            throw refused(
                    "'"
                            + Text.shown(line)
                            + "' is about others than the URL; allowed: lines for '"
                            + Text.shown(sender + (to == null ? "" : " to=" + to))
                            + "'");
        }
        return entry;
    }

    /**
     * Returns the entry with these rules in the order in which lists keep them, each once.
     *
     * @throws WebException if there are more than an entry can hold
     */
    static Entry joined(Key sender, @Nullable Key to, List<Rule> rules) throws WebException {
        List<Rule> joined = RulesCodec.joined(rules);
        if (joined == null) {
            throw refused(
                    "more lines for '"
                            + Text.shown(sender.toString())
                            + "' than an entry can hold; allowed: "
                            + RulesCodec.MAX_BYTES
                            + " bytes of conditions and notes");
        }
        return new Entry(sender, to, joined);
    }

    private static WebException refused(String details) {
        return WebException.badRequest(REFUSED, details);
    }
}
