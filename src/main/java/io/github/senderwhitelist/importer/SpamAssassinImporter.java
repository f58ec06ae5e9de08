package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports lists of senders from configuration files of SpamAssassin: {@code welcomelist_from} and
 * related settings, read in the order in which SpamAssassin would read them.
 */
final class SpamAssassinImporter extends Importer {
    private static final double VERSION = 4.000001;

    /** The conditions in SpamAssassin's own lists, and the like: one question, perhaps denied. */
    private static final Pattern CONDITION =
            Pattern.compile(
                    "\\(?\\s*(?<not>!?)\\s*\\(?\\s*(?:(?:can|has|plugin)\\s*\\(\\s*[\\w:]+\\s*\\)"
                            + "|version\\s*(?<than>[<>])(?<same>=?)\\s*"
                            + "(?<version>\\d+(?:\\.\\d+)?))\\s*\\)?\\s*\\)?");

    private final SpamAssassinSettings settings = new SpamAssassinSettings(this);

    /** Whether each of the conditions around a line holds; empty if it is not understood. */
    private final Deque<Optional<Boolean>> conditions = new ArrayDeque<>();

    SpamAssassinImporter() {
        super("(?<!\\\\)#.*$");
    }

    /** Conditions end with their file. */
    @Override
    void begin(String name) throws IOException {
        super.begin(name);
        conditions.clear();
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String[] parts = HiddenCharacters.strip(line.replace("\\#", "#")).split("\\s+", 2);
        String value = parts.length == 1 ? "" : parts[1];
        String name = parts[0].toLowerCase(Locale.ROOT);
        if (name.equals("if") || name.equals("ifplugin")) {
            Optional<Boolean> holds = holds(name.equals("if") ? value : "plugin(" + value + ")");
            if (holds.isEmpty() && applies()) {
                report(
                        value,
                        "a condition that is not evaluated; the lines it governs are passed over");
            }
            conditions.push(holds);
        } else if (!name.equals("else") && !name.equals("endif")) {
            if (applies()) {
                settings.take(parts[0], value, "");
            }
        } else if (conditions.isEmpty()) {
            bad(name, "without if");
        } else {
            Optional<Boolean> ended = conditions.pop();
            if (name.equals("else")) {
                conditions.push(ended.map(held -> !held));
            }
        }
    }

    private boolean applies() {
        return conditions.stream().allMatch(holds -> holds.orElse(false));
    }

    /** Returns whether a condition holds in SpamAssassin 4.0 with every plugin. */
    private static Optional<Boolean> holds(String condition) {
        Matcher usual = CONDITION.matcher(condition);
        if (!usual.matches()) {
            return Optional.empty();
        }
        boolean holds = true;
        if (usual.group("than") != null) {
            int order = Double.compare(VERSION, Double.parseDouble(usual.group("version")));
            holds =
                    order == 0
                            ? !usual.group("same").isEmpty()
                            : order > 0 == usual.group("than").equals(">");
        }
        return Optional.of(holds == usual.group("not").isEmpty());
    }

    @Override
    void finish() {
        settings.finish();
    }
}
