package io.github.senderwhitelist.mailet.mail;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of an HTML part: a line for each block, without empty ones. Lines in a {@code
 * blockquote} begin with {@code >}, as in plain text. It takes time in proportion to its length.
 */
final class HtmlText {
    private static final Pattern TAG = Pattern.compile("<(?:!--|[!?]|(/?)([A-Za-z][A-Za-z0-9]*))");
    private static final Pattern BLOCKS =
            Pattern.compile("blockquote|body|br|div|h[1-6r]|li|[ou]l|p|pre|table|t[dhr]");
    private static final Pattern UNSEEN = Pattern.compile("script|style|title");
    private static final String QUOTE = "blockquote";

    private final StringBuilder text = new StringBuilder();
    private final StringBuilder line = new StringBuilder();
    private int quotes;

    /** The element whose content nobody sees, or null. */
    private @Nullable String unseen;

    private HtmlText() {}

    /** Returns the text. What follows a tag without an end is left out. */
    static String of(String html) {
        HtmlText all = new HtmlText();
        Matcher tag = TAG.matcher(html);
        int at = 0;
        while (at >= 0) {
            boolean found = tag.find(at);
            if (all.unseen == null) {
                all.line.append(html, at, found ? tag.start() : html.length());
            }
            at = -1;
            if (found) {
                String name = tag.group(2) == null ? "" : tag.group(2).toLowerCase(Locale.ROOT);
                all.tag(name, "/".equals(tag.group(1)));
                String end = tag.group().equals("<!--") ? "-->" : ">";
                int close = html.indexOf(end, tag.end());
                at = close < 0 ? -1 : close + end.length();
            }
        }
        all.endLine();
        return all.text.toString();
    }

    private void tag(String name, boolean ends) {
        if (unseen != null) {
            unseen = ends && name.equals(unseen) ? null : unseen;
        } else if (UNSEEN.matcher(name).matches()) {
            unseen = ends ? null : name;
        } else if (BLOCKS.matcher(name).matches()) {
            endLine();
            quotes = Math.max(0, quotes + (!name.equals(QUOTE) ? 0 : ends ? -1 : 1));
        }
    }

    private void endLine() {
        String plain =
                line.toString()
                        .replaceAll("&(nbsp|#160);", " ")
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&#64;", "@")
                        .replace("&amp;", "&")
                        .replaceAll("[\\s\u00a0]+", " ")
                        .strip();
        if (!plain.isEmpty()) {
            text.append(quotes > 0 ? "> " : "").append(plain).append('\n');
        }
        line.setLength(0);
    }
}
