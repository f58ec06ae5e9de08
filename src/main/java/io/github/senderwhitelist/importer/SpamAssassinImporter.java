package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports lists of senders from configuration files of SpamAssassin: {@code welcomelist_from} and
 * related settings, read in the order in which SpamAssassin would read them. A later one can revoke
 * an earlier one, so all patterns are kept in memory until the end.
 */
final class SpamAssassinImporter extends Importer {
    private static final double VERSION = 4.000001;

    private static final int MAX_DEPTH = 1000;

    /** The conditions in SpamAssassin's own lists, and the like: one question, perhaps denied. */
    private static final Pattern CONDITION =
            Pattern.compile(
                    "\\(?\\s*(?<not>!?)\\s*\\(?\\s*(?:(?:can|has|plugin)\\s*\\(\\s*[\\w:]+\\s*\\)"
                            + "|version\\s*(?<than>[<>]=?)\\s*"
                            + "(?<version>\\d+(?:\\.\\d+)?))\\s*\\)?\\s*\\)?");

    private static final String DKIM = "welcomelist_from_dkim";

    private final Deque<Branch> branches = new ArrayDeque<>();

    /** Whether the lines after a condition apply, and whether those after its {@code else} do. */
    private record Branch(boolean applies, boolean elseApplies) {}

    SpamAssassinImporter(Sink sink) {
        super(sink, "(?<!\\\\)#.*$");
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String[] parts = firstAndRest(line.replace("\\#", "#"));
        String value = parts[1];
        String name = parts[0].toLowerCase(Locale.ROOT);
        Branch around = branches.peek();
        boolean applies = around == null || around.applies;
        switch (name) {
            case "if" -> branches.push(branch(value, applies));
            case "ifplugin" -> branches.push(branch("plugin(" + value + ")", applies));
            case "else", "endif" -> {
                branches.poll();
                if (around == null) {
                    sink.bad(name, "without if");
                } else if (name.equals("else")) {
                    branches.push(new Branch(around.elseApplies, around.applies));
                }
            }
            default -> {
                if (applies) {
                    setting(sink, parts[0], value, "");
                }
            }
        }
    }

    /** Judges a condition as SpamAssassin 4.0 with every plugin. */
    private Branch branch(String condition, boolean applies) throws ListRefusedException {
        if (branches.size() == MAX_DEPTH) {
            throw sink.refused("more than " + MAX_DEPTH + " conditions around each other");
        }
        Matcher usual = CONDITION.matcher(condition);
        if (!applies) {
            return new Branch(false, false);
        } else if (!usual.matches()) {
            String why = "a condition that is not evaluated; the lines it governs are passed over";
            sink.report(condition, why);
            return new Branch(false, false);
        }
        String than = usual.group("than");
        double version = than == null ? 0 : Double.parseDouble(usual.group("version"));
        boolean holds =
                than == null
                        || (than.startsWith("<") ? VERSION < version : VERSION > version)
                        || (than.endsWith("=") && VERSION == version);
        holds = holds == usual.group("not").isEmpty();
        return new Branch(holds, !holds);
    }

    /**
     * Takes a setting. Those that are not about senders are passed over. The condition for
     * recipients may be empty.
     */
    static void setting(Sink sink, String written, String value, String to)
            throws ListRefusedException {
        String name = name(written);
        String setting = name.replaceFirst("^(?:un)?(?:def_)?", "");
        String auth =
                switch (setting) {
                    case "welcomelist_from", "blocklist_from" -> "";
                    case "welcomelist_auth" -> " auth=any";
                    case "welcomelist_from_spf" -> " auth=spf";
                    case DKIM -> " auth=dkim";
                    default -> null;
                };
        if (name.equals("include")) {
            sink.report(value, "is not followed; name that file, too, in its place");
        } else if (name.equals("lang") && concernsSenders(value)) {
            sink.report(value, "holds for one language of SpamAssassin's only");
        } else if (!concernsSenders(name)) {
            return;
        } else if (value.isEmpty()) {
            sink.bad(written, "an address is missing");
        } else if (auth == null) {
            sink.report(value, Text.shown(written) + " has no equivalent");
        } else {
            String all = value.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
            for (String each : setting.equals(DKIM) ? new String[] {all} : all.split(" ", -1)) {
                String pattern = HiddenCharacters.strip(each);
                String listed = setting + to + "\n" + pattern;
                if (!name.startsWith("un")) {
                    String key = key(sink, pattern);
                    if (key != null) {
                        String denial = setting.startsWith("block") ? "!" : "";
                        sink.keep(listed, denial + key + auth + to);
                    }
                } else if (!sink.revoke(listed)) {
                    sink.report(pattern, "revokes a pattern that no earlier line lists so");
                }
            }
        }
    }

    /** Returns the name of a setting in the spelling of SpamAssassin 4. */
    private static String name(String written) {
        return written.toLowerCase(Locale.ROOT)
                .replace('-', '_')
                .replace("whitelist", "welcomelist")
                .replace("blacklist", "blocklist");
    }

    /** Returns whether a setting is about senders who are welcome or not. */
    static boolean concernsSenders(String written) {
        String name = name(written);
        return name.contains("welcomelist") || name.contains("blocklist");
    }

    /** Returns the key of a glob, perhaps with the domain that has to sign. */
    private static @Nullable String key(Sink sink, String pattern) {
        String[] parts = pattern.split(" ", -1);
        String sender = parts[0];
        String domain = "." + sender.substring(sender.lastIndexOf('@') + 1);
        if (parts.length > 2) {
            sink.bad(pattern, "expected: address, then at most one signing domain");
        } else if (parts.length == 2 && !domain.endsWith("." + parts[1])) {
            sink.report(
                    pattern, "signed by another domain than the sender's, which has no equivalent");
        } else {
            return sink.glob(sender);
        }
        return null;
    }
}
