package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The check that a map of Rspamd holds senders. The file does not say so; its name does when it is
 * a map that Rspamd ships, and sometimes a value does.
 */
final class RspamdMap {
    private static final Pattern NAME =
            Pattern.compile("(?:.*[/\\\\])?([^/\\\\]+?)(?:\\.(?:inc|map|txt|local|gz))*");

    /** Names of maps of the whitelist module. */
    private static final Set<String> CONFIRMED =
            Set.of("spf_whitelist", "dkim_whitelist", "spf_dkim_whitelist", "dmarc_whitelist");

    /** Names of maps without senders, and what these maps hold. */
    private static final Map<String, String> OTHER =
            Map.of(
                    "2tld", "domains below which anyone registers names",
                    "equivalent_domains", "domains of one owner",
                    "maillist", "senders of mass mail",
                    "mid", "domains whose Message-IDs are wrong",
                    "redirectors", "services that shorten links",
                    "surbl-whitelist", "domains of links that are not looked up",
                    "suspicious_tlds", "suspicious domains");

    private final String name;

    RspamdMap(String name) {
        this.name = name;
    }

    /**
     * Refuses a map without senders, and a map of the whitelist module when no authentication was
     * given that must confirm its senders.
     */
    void check(AuthRequirement auth) throws ListRefusedException {
        Matcher matcher = NAME.matcher(name);
        String map = matcher.matches() ? matcher.group(1) : name;
        if (OTHER.containsKey(map)) {
            throw new ListRefusedException(
                    name
                            + ": Rspamd has a map of this name for "
                            + OTHER.get(map)
                            + ", not for senders that are welcome. Nothing was imported; if yours"
                            + " is another one, give it another name");
        }
        if (auth == AuthRequirement.NONE && CONFIRMED.contains(map)) {
            throw needsCondition(": a map of this name");
        }
    }

    /**
     * Checks the value after the key of a line, and refuses the map when the value shows that it is
     * of another kind.
     */
    void check(String value, long line, AuthRequirement auth) throws ListRefusedException {
        if (value.startsWith("/")) {
            throw new ListRefusedException(
                    name
                            + ":"
                            + line
                            + ": a regular expression behind a domain, as in maps of Message-IDs,"
                            + " which list no senders. Nothing was imported");
        }
        if (auth == AuthRequirement.NONE && ofWhitelistModule(value)) {
            throw needsCondition(":" + line + ": this");
        }
    }

    /** Returns whether only the whitelist module has such values. */
    private static boolean ofWhitelistModule(String value) {
        return value.startsWith("wl:") || value.startsWith("both:") || onlyBlocks(value);
    }

    /**
     * Returns whether a value makes the whitelist module judge only mails that nothing has
     * confirmed.
     */
    static boolean onlyBlocks(String value) {
        return value.startsWith("bl:");
    }

    private ListRefusedException needsCondition(String what) {
        return new ListRefusedException(
                name
                        + what
                        + " is of Rspamd's whitelist module, which welcomes senders only when SPF,"
                        + " DKIM or DMARC has confirmed them; say what is to confirm them with"
                        + " --auth spf, --auth dkim, or --auth any (one of both, as for DMARC)."
                        + " Nothing was imported");
    }
}
