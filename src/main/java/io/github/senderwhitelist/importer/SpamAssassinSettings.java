package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * SpamAssassin's settings that list senders. A later one can revoke an earlier one, so all patterns
 * are kept in memory until the end.
 */
final class SpamAssassinSettings {
    /**
     * The most patterns that are kept in memory. SpamAssassin compiles a regular expression for
     * each, so lists that it can use are shorter.
     */
    private static final int MAX_PATTERNS = 500_000;

    private static final String BLOCKS = "blocklist_from";
    private static final String DKIM = "welcomelist_from_dkim";

    /** The settings that list senders, and the conditions that they become. */
    private static final Map<String, String> SETTINGS =
            Map.ofEntries(
                    Map.entry("welcomelist_from", ""),
                    Map.entry("welcomelist_auth", " auth=any"),
                    Map.entry("welcomelist_from_spf", " auth=spf"),
                    Map.entry(DKIM, " auth=dkim"),
                    Map.entry(BLOCKS, ""));

    private final Importer importer;
    private final Map<Listed, String> entries = new LinkedHashMap<>();

    /**
     * A listed pattern.
     *
     * @param setting the setting that lists it, without {@code def_}, which changes nothing
     * @param pattern the glob in lower case, and perhaps the domain that must have signed
     * @param to the condition for recipients, or an empty string
     */
    private record Listed(String setting, String pattern, String to) {}

    /** Makes settings without patterns, which the importer reads. */
    SpamAssassinSettings(Importer importer) {
        this.importer = importer;
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

    /**
     * Takes a setting. Those that are not about senders are passed over.
     *
     * @param to the condition for recipients, or an empty string
     */
    void take(String written, String value, String to) throws ListRefusedException {
        String name = name(written);
        String setting = name.replaceFirst("^(?:un)?(?:def_)?", "");
        if (name.equals("include")) {
            importer.report(value, "is not followed; name that file, too, in its place");
        } else if (name.equals("lang") && concernsSenders(value)) {
            importer.report(value, "holds for one language of SpamAssassin's only");
        } else if (!concernsSenders(name)) {
            return;
        } else if (value.isEmpty()) {
            importer.bad(written, "an address is missing");
        } else if (!SETTINGS.containsKey(setting)) {
            importer.report(value, written + " has no equivalent");
        } else {
            String patterns = value.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
            for (String pattern :
                    setting.equals(DKIM) ? List.of(patterns) : List.of(patterns.split(" ", -1))) {
                Listed listed = new Listed(setting, HiddenCharacters.strip(pattern), to);
                if (!name.startsWith("un")) {
                    add(listed);
                } else if (entries.remove(listed) == null) {
                    importer.report(pattern, "revokes a pattern that no earlier line lists so");
                } else {
                    importer.keep();
                }
            }
        }
    }

    private void add(Listed listed) throws ListRefusedException {
        String[] parts = listed.pattern.split(" ", -1);
        String signer = parts.length == 1 ? "" : parts[1];
        String domain = "." + parts[0].substring(parts[0].lastIndexOf('@') + 1);
        if (parts.length > 2) {
            importer.bad(listed.pattern, "expected: address, then at most one signing domain");
            return;
        }
        if (!signer.isEmpty() && !domain.endsWith("." + signer)) {
            importer.report(
                    listed.pattern,
                    "signed by another domain than the sender's, which has no equivalent");
            return;
        }
        String key = importer.glob(parts[0]);
        if (key == null) {
            return;
        }
        importer.keep();
        String denial = listed.setting.equals(BLOCKS) ? "!" : "";
        entries.put(listed, denial + key + SETTINGS.get(listed.setting) + listed.to);
        if (entries.size() > MAX_PATTERNS) {
            throw importer.refused(
                    "more than "
                            + MAX_PATTERNS
                            + " SpamAssassin patterns; they are all kept in memory, because a"
                            + " later line may take one back. Import them in parts");
        }
    }

    /** Writes the entries of all patterns that are left. */
    void finish() {
        entries.values().forEach(importer::write);
    }
}
