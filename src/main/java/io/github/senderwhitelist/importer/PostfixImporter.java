package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.util.regex.Pattern;

/**
 * Imports Postfix access tables of senders (access(5), in the text format of postmap(1)).
 *
 * <p>Only an action that accepts lists a sender: {@code OK}, {@code permit}, or digits alone. Only
 * one that refuses for good becomes an entry with {@code !}, since that overrides what users list.
 * Every other action says nothing of the sender and is reported.
 */
final class PostfixImporter extends Importer {
    /** What only regexp:, pcre: and cidr: tables have. */
    private static final Pattern OTHER_TABLE =
            Pattern.compile("(?is)endif|if\\s+!?[/\\[0-9].*|!?/.*");

    /** A code of three digits refuses only with a text after it. */
    private static final Pattern ACCEPTS = Pattern.compile("(?is)OK(?:\\s.*)?|permit|[0-9]+");

    private static final Pattern REFUSES =
            Pattern.compile("(?is)(?:REJECT|DISCARD)(?:\\s.*)?|5[0-9][0-9]\\s.*");

    private final boolean parentDomains;

    PostfixImporter(Sink sink, boolean parentDomains) {
        super(sink, "(?s)^\\s*#.*");
        this.parentDomains = parentDomains;
    }

    /** Comments and blank lines count for nothing, even before a line that continues another. */
    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        if (isNothing(line)) {
            return "";
        }
        return beginsWithSpace(line) && !isNothing(before) ? line : null;
    }

    private static boolean isNothing(CharSequence line) {
        return line.codePoints().filter(c -> !HiddenCharacters.isHidden(c)).findFirst().orElse('#')
                == '#';
    }

    private static boolean beginsWithSpace(String line) {
        return line.charAt(0) < 0x80 && HiddenCharacters.isWhiteSpace(line.charAt(0));
    }

    @Override
    void entry(String line) {
        String text = HiddenCharacters.strip(line);
        String[] parts = firstAndRest(text);
        String key = parts[0];
        String action = parts[1];
        boolean denied = REFUSES.matcher(action).matches();
        if (beginsWithSpace(line)) {
            sink.bad(line, "begins with white space, but continues no line");
        } else if (OTHER_TABLE.matcher(text).matches()) {
            sink.report(text, "is of regexp:, pcre: or cidr: tables, which have no equivalent");
        } else if (action.isEmpty()) {
            sink.bad(text, "an action is missing; expected: pattern, white space, action");
        } else if (key.startsWith("@") || key.startsWith("*@")) {
            sink.report(key, "matches nothing in Postfix, which writes a domain without '@'");
        } else if (key.startsWith(".") && parentDomains) {
            sink.report(
                    key,
                    "matches nothing in Postfix while parent_domain_matches_subdomains has"
                            + " smtpd_access_maps, as by default; if yours has not:"
                            + " --no-parent-domains");
        } else if (!denied && !ACCEPTS.matcher(action).matches()) {
            sink.report(
                    key,
                    ("'%s' neither accepts nor refuses this sender for good, so it is left out; a"
                                    + " wider pattern that is taken counts for this sender")
                            .formatted(Text.shown(action)));
        } else if (key.indexOf('@') > 0 || key.equals("<>")) {
            sink.take(sink.key("", key), denied, "");
        } else if (key.startsWith(".")) {
            sink.take(sink.key("@.", key.substring(1)), denied, "");
        } else {
            String domain = sink.key("@", key);
            sink.take(domain, denied, "");
            if (parentDomains && domain != null && !key.startsWith("[")) {
                sink.take(sink.key("@.", key), denied, "");
            }
        }
    }
}
