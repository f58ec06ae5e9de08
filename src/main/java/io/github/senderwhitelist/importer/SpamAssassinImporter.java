package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
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
final class SpamAssassinImporter implements Importer {
    /**
     * The most patterns that are kept in memory. SpamAssassin compiles a regular expression for
     * each, so lists that it can use are shorter.
     */
    static final int MAX_PATTERNS = 500_000;

    /** Stands for a signature by the domain of the author. */
    private static final String AUTHOR = "";

    private static final String BLOCKS = "blocklist_from";

    /**
     * The settings that list senders, without the prefixes def_ and un, and the conditions that
     * they become.
     */
    private static final Map<String, String> WELCOMES =
            Map.of(
                    "welcomelist_from", "",
                    "welcomelist_auth", " auth=any",
                    "welcomelist_from_spf", " auth=spf",
                    "welcomelist_from_dkim", " auth=dkim");

    private static final double VERSION = 4.000001;

    /** The conditions in SpamAssassin's own lists, and the like: one question, perhaps denied. */
    private static final Pattern CONDITION =
            Pattern.compile(
                    "\\(?\\s*(?<not>!?)\\s*\\(?\\s*(?:(?:can|has|plugin)\\s*\\(\\s*[\\w:]+\\s*\\)"
                            + "|version\\s*(?<than>[<>]=?)\\s*(?<version>\\d+(?:\\.\\d+)?))"
                            + "\\s*\\)?\\s*\\)?");

    private final Ledger ledger;
    private final Map<Listed, String> patterns = new LinkedHashMap<>();

    /**
     * A listed pattern.
     *
     * @param setting the setting that lists it
     * @param glob the pattern in lower case
     * @param signer the domain whose DKIM signature is required; empty for the author's domain
     * @param to the condition for recipients, or an empty string
     */
    private record Listed(String setting, String glob, String signer, String to) {}

    SpamAssassinImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new Configuration(new LineReader(in, name));
    }

    /**
     * A condition.
     *
     * @param outside whether the lines around it are passed over
     * @param unknown whether it is not understood; its lines, and those of its {@code else}, are
     *     passed over then
     */
    private record Block(boolean outside, boolean unknown) {}

    /** Reads one configuration file. Conditions end with the file. */
    private final class Configuration implements ListReader {
        private final LineReader lines;
        private final Deque<Block> blocks = new ArrayDeque<>();
        private boolean skipped;

        Configuration(LineReader lines) {
            this.lines = lines;
        }

        @Override
        public boolean next() throws IOException {
            Line line = lines.next();
            if (line == null) {
                return false;
            }
            String text =
                    HiddenCharacters.strip(
                            line.text().replaceAll("(?<!\\\\)#.*$", "").replace("\\#", "#"));
            if (text.isEmpty()) {
                ledger.blank(1);
                return true;
            }
            ledger.open(line);
            String[] parts = text.split("\\s+", 2);
            String value = parts.length == 1 ? "" : parts[1];
            String key = parts[0].toLowerCase(Locale.ROOT).replace('-', '_');
            switch (key) {
                case "if" -> begin(value);
                case "ifplugin" -> begin("plugin(" + value + ")");
                case "else" -> otherwise();
                case "endif" -> end();
                default -> {
                    if (!skipped) {
                        setting(key, value, line.cut(), "");
                    }
                }
            }
            return true;
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

        private void otherwise() {
            Block block = blocks.peek();
            if (block == null) {
                ledger.bad("else", "without if");
            } else {
                skipped = block.outside || block.unknown || !skipped;
            }
        }

        private void end() {
            Block block = blocks.poll();
            if (block == null) {
                ledger.bad("endif", "without if");
            } else {
                skipped = block.outside;
            }
        }
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
        String than = usual.group("than");
        boolean holds = than == null || isVersion(than, Double.parseDouble(usual.group("version")));
        return holds == usual.group("not").isEmpty();
    }

    private static boolean isVersion(String than, double version) {
        return switch (than) {
            case ">" -> VERSION > version;
            case ">=" -> VERSION >= version;
            case "<" -> VERSION < version;
            default -> VERSION <= version;
        };
    }

    /** Returns whether a setting is about senders, in the old words or the new ones. */
    static boolean concernsSenders(String key) {
        return key.matches(".*(?:welcome|white|block|black)list.*");
    }

    /**
     * Takes a setting.
     *
     * @param written its name in lower case
     * @param to the condition for recipients, or an empty string
     */
    void setting(String written, String value, boolean cut, String to) throws ListRefusedException {
        String key = written.replace("whitelist", "welcomelist").replace("blacklist", "blocklist");
        if (key.equals("include")) {
            ledger.report(value, "is not followed; name that file, too, in its place");
            return;
        }
        if (!concernsSenders(key)) {
            return;
        }
        if (value.isEmpty() || cut) {
            ledger.bad(written, cut ? LineReader.CUT : "an address is missing");
            return;
        }
        boolean removes = key.startsWith("un");
        String list = removes ? key.substring(2) : key;
        String plain = list.startsWith("def_") ? list.substring(4) : list;
        if (plain.equals("welcomelist_from_rcvd")) {
            if (!removes) {
                ledger.report(
                        value,
                        written
                                + " asks for the relay's host name, which has no equivalent;"
                                + " consider an entry with auth=any");
            }
        } else if (!WELCOMES.containsKey(plain) && !plain.equals(BLOCKS)) {
            ledger.report(value, written + " lists no senders");
        } else if (plain.equals("welcomelist_from_dkim")) {
            dkim(list, value, removes, to);
        } else {
            for (String glob : value.split("\\s+", -1)) {
                change(list, glob, AUTHOR, removes, to);
            }
        }
    }

    private void dkim(String list, String value, boolean removes, String to)
            throws ListRefusedException {
        String[] parts = value.toLowerCase(Locale.ROOT).split("\\s+", -1);
        if (parts.length > 2) {
            ledger.bad(value, "expected: address, then at most one signing domain");
            return;
        }
        change(list, parts[0], parts.length == 1 ? AUTHOR : parts[1], removes, to);
    }

    private void change(String list, String written, String signer, boolean removes, String to)
            throws ListRefusedException {
        String glob = HiddenCharacters.strip(written).toLowerCase(Locale.ROOT);
        if (removes) {
            boolean there = patterns.remove(new Listed(list, glob, signer, to)) != null;
            there |= patterns.remove(new Listed("def_" + list, glob, signer, to)) != null;
            if (there) {
                ledger.take();
            } else {
                ledger.report(glob, "revokes a pattern that no earlier line lists");
            }
            return;
        }
        if (!isOwnSignature(glob, signer)) {
            ledger.report(
                    glob,
                    "signed by "
                            + signer
                            + ", another domain than the sender's, which has no equivalent");
            return;
        }
        SenderPattern pattern = SenderPattern.ofGlob(glob);
        if (pattern instanceof SenderPattern.None(String reason)) {
            ledger.report(glob, reason);
            return;
        }
        String key = ledger.key(pattern);
        if (key != null) {
            ledger.take();
            patterns.put(new Listed(list, glob, signer, to), line(list, key) + to);
            if (patterns.size() > MAX_PATTERNS) {
                throw new ListRefusedException(
                        "more than "
                                + MAX_PATTERNS
                                + " SpamAssassin patterns; they are all kept in memory, because a"
                                + " later line may take one back. Import them in parts");
            }
        }
    }

    private static String line(String list, String key) {
        String plain = list.startsWith("def_") ? list.substring(4) : list;
        return list.equals(BLOCKS) ? "!" + key : key + WELCOMES.getOrDefault(plain, "");
    }

    /**
     * Returns whether a signature by this domain is aligned with every sender that the glob
     * matches.
     */
    private static boolean isOwnSignature(String glob, String signer) {
        String domain = glob.substring(glob.lastIndexOf('@') + 1);
        return signer.isEmpty() || domain.equals(signer) || domain.endsWith("." + signer);
    }

    @Override
    public Iterator<String> rest() {
        return patterns.values().iterator();
    }
}
