package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports lists of senders from configuration files of SpamAssassin: {@code welcomelist_from} and
 * related settings, read in the order in which SpamAssassin would read them.
 *
 * <p>A later line can revoke an earlier one, so all patterns are kept in memory until the end.
 */
final class SpamAssassinImporter extends LineImporter {
    /**
     * The most patterns that are kept in memory. SpamAssassin compiles a regular expression for
     * each, so lists that it can use are shorter.
     */
    static final int MAX_PATTERNS = 500_000;

    private static final String BLOCKS = "blocklist_from";
    private static final String DKIM = "welcomelist_from_dkim";

    /** The settings that list senders, and the conditions that they become. */
    private static final Map<String, String> WELCOMES =
            Map.of(
                    "welcomelist_from",
                    "",
                    "welcomelist_auth",
                    " auth=any",
                    "welcomelist_from_spf",
                    " auth=spf",
                    DKIM,
                    " auth=dkim");

    private static final double VERSION = 4.000001;

    /** The conditions in SpamAssassin's own lists, and the like: one question, perhaps denied. */
    private static final Pattern CONDITION =
            Pattern.compile(
                    "\\(?\\s*(?<not>!?)\\s*\\(?\\s*(?:(?:can|has|plugin)\\s*\\(\\s*[\\w:]+\\s*\\)"
                            + "|version\\s*(?<than>[<>]=?)\\s*(?<version>\\d+(?:\\.\\d+)?))"
                            + "\\s*\\)?\\s*\\)?");

    private final Map<Listed, String> patterns = new LinkedHashMap<>();
    private final Deque<Block> blocks = new ArrayDeque<>();
    private boolean skipped;

    /**
     * A listed pattern.
     *
     * @param setting the setting that lists it, without {@code def_}, which changes nothing
     * @param glob the pattern in lower case
     * @param signer the domain whose DKIM signature is required; empty for the author's domain
     * @param to the condition for recipients, or an empty string
     */
    private record Listed(String setting, String glob, String signer, String to) {}

    /**
     * A condition.
     *
     * @param outside whether the lines around it are passed over
     * @param unknown whether it is not understood; its lines, and those of its {@code else}, are
     *     passed over then
     */
    private record Block(boolean outside, boolean unknown) {}

    SpamAssassinImporter(Ledger ledger) {
        super(ledger);
    }

    /** Conditions end with their file. */
    @Override
    public void begin(ForeignText text) {
        blocks.clear();
        skipped = false;
    }

    @Override
    String withoutComment(String line) {
        return line.replaceAll("(?<!\\\\)#.*$", "").replace("\\#", "#");
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String[] parts = HiddenCharacters.strip(line).split("\\s+", 2);
        String value = parts.length == 1 ? "" : parts[1];
        switch (name(parts[0])) {
            case "if" -> begin(value);
            case "ifplugin" -> begin("plugin(" + value + ")");
            case "else" -> {
                Block block = blocks.peek();
                if (block == null) {
                    ledger.bad("else", "without if");
                } else {
                    skipped = block.outside || block.unknown || !skipped;
                }
            }
            case "endif" -> {
                Block block = blocks.poll();
                if (block == null) {
                    ledger.bad("endif", "without if");
                } else {
                    skipped = block.outside;
                }
            }
            default -> {
                if (!skipped) {
                    setting(parts[0], value, "");
                }
            }
        }
    }

    private void begin(String condition) {
        Boolean holds = holds(condition);
        blocks.push(new Block(skipped, holds == null));
        if (holds == null && !skipped) {
            ledger.report(
                    condition,
                    "a condition that is not evaluated; the lines it governs are passed over");
        }
        skipped |= holds == null || !holds;
    }

    /**
     * Returns whether a condition holds in SpamAssassin 4.0 with every plugin, or null when it is
     * none of the usual ones.
     */
    private static @Nullable Boolean holds(String condition) {
        Matcher usual = CONDITION.matcher(condition);
        if (!usual.matches()) {
            return null;
        }
        boolean holds = true;
        if (usual.group("than") != null) {
            int order = Double.compare(VERSION, Double.parseDouble(usual.group("version")));
            holds =
                    switch (usual.group("than")) {
                        case ">" -> order > 0;
                        case ">=" -> order >= 0;
                        case "<" -> order < 0;
                        default -> order <= 0;
                    };
        }
        return holds == usual.group("not").isEmpty();
    }

    /** Returns the name of a setting in the spelling of SpamAssassin 4. */
    private static String name(String written) {
        return written.toLowerCase(Locale.ROOT)
                .replace('-', '_')
                .replace("whitelist", "welcomelist")
                .replace("blacklist", "blocklist");
    }

    /**
     * Takes a setting. Those that are not about senders are passed over.
     *
     * @param to the condition for recipients, or an empty string
     */
    void setting(String written, String value, String to) throws ListRefusedException {
        String name = name(written);
        if (name.equals("include")) {
            ledger.report(value, "is not followed; name that file, too, in its place");
            return;
        }
        if (name.equals("lang") && concernsSenders(name(value))) {
            ledger.report(value, "holds for one language of SpamAssassin's only");
            return;
        }
        if (!concernsSenders(name)) {
            return;
        }
        if (value.isEmpty()) {
            ledger.bad(written, "an address is missing");
            return;
        }
        boolean removes = name.startsWith("un");
        String list = name.replaceFirst("^(?:un)?(?:def_)?", "");
        if (list.equals("welcomelist_from_rcvd")) {
            if (!removes) {
                ledger.report(
                        value,
                        written
                                + " asks for the relay's host name, which has no equivalent;"
                                + " consider an entry with auth=any");
            }
            return;
        }
        if (!WELCOMES.containsKey(list) && !list.equals(BLOCKS)) {
            ledger.report(value, written + " lists no senders");
            return;
        }
        String[] globs = value.toLowerCase(Locale.ROOT).split("\\s+", -1);
        if (!list.equals(DKIM)) {
            for (String glob : globs) {
                change(new Listed(list, HiddenCharacters.strip(glob), "", to), removes);
            }
        } else if (globs.length > 2) {
            ledger.bad(value, "expected: address, then at most one signing domain");
        } else {
            String signer = globs.length == 1 ? "" : globs[1];
            change(new Listed(list, HiddenCharacters.strip(globs[0]), signer, to), removes);
        }
    }

    private static boolean concernsSenders(String name) {
        return name.contains("welcomelist") || name.contains("blocklist");
    }

    private void change(Listed listed, boolean removes) throws ListRefusedException {
        if (removes) {
            remove(listed);
            return;
        }
        if (!isOwnSignature(listed)) {
            ledger.report(
                    listed.glob,
                    "signed by "
                            + listed.signer
                            + ", another domain than the sender's, which has no equivalent");
            return;
        }
        String key = ledger.key(SenderPattern.ofGlob(listed.glob));
        if (key == null) {
            return;
        }
        ledger.keep();
        boolean denied = listed.setting.equals(BLOCKS);
        String conditions = denied ? "" : WELCOMES.getOrDefault(listed.setting, "");
        patterns.put(listed, (denied ? "!" : "") + key + conditions + listed.to);
        if (patterns.size() > MAX_PATTERNS) {
            throw ledger.refused(
                    "more than "
                            + MAX_PATTERNS
                            + " SpamAssassin patterns; they are all kept in memory, because a"
                            + " later line may take one back. Import them in parts");
        }
    }

    private void remove(Listed listed) {
        if (patterns.remove(listed) != null) {
            ledger.keep();
        } else if (patterns.containsKey(
                new Listed(listed.setting, listed.glob, listed.signer, ""))) {
            ledger.report(
                    listed.glob,
                    "revokes for one user what is listed for everybody, which an entry cannot;"
                            + " the pattern stays listed for that user");
        } else {
            ledger.report(listed.glob, "revokes a pattern that no earlier line lists");
        }
    }

    /**
     * Returns whether a signature by the signer is aligned with every sender that the glob matches.
     */
    private static boolean isOwnSignature(Listed listed) {
        String domain = listed.glob.substring(listed.glob.lastIndexOf('@') + 1);
        return listed.signer.isEmpty()
                || domain.equals(listed.signer)
                || domain.endsWith("." + listed.signer);
    }

    @Override
    public void finish() {
        patterns.values().forEach(ledger::write);
    }
}
