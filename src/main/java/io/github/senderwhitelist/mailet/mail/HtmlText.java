package io.github.senderwhitelist.mailet.mail;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of an HTML part: a line for each block, without empty ones. Lines in a {@code
 * blockquote} begin with {@code >}, as in plain text. It takes time in proportion to its length.
 */
final class HtmlText {
    private static final Set<String> BLOCKS =
            Set.of(
                    "blockquote",
                    "body",
                    "br",
                    "div",
                    "h1",
                    "h2",
                    "h3",
                    "h4",
                    "h5",
                    "h6",
                    "hr",
                    "li",
                    "ol",
                    "p",
                    "pre",
                    "table",
                    "td",
                    "th",
                    "tr",
                    "ul");

    private static final Set<String> UNSEEN = Set.of("script", "style", "title");
    private static final String QUOTE = "blockquote";

    private static final Pattern TAG = Pattern.compile("<(?:!--|[!?]|(/?)([A-Za-z][A-Za-z0-9]*))");
    private static final Pattern ENTITY = Pattern.compile("&(?:#([0-9]{1,4})|(lt|gt|amp|nbsp));");

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
        while (at >= 0 && tag.find(at)) {
            all.write(html.substring(at, tag.start()));
            all.tag(tag);
            String end = tag.group().equals("<!--") ? "-->" : ">";
            int close = html.indexOf(end, tag.end());
            at = close < 0 ? -1 : close + end.length();
        }
        if (at >= 0) {
            all.write(html.substring(at));
        }
        all.endLine();
        return all.text.toString();
    }

    private void tag(Matcher tag) {
        String name = tag.group(2) == null ? "" : tag.group(2).toLowerCase(Locale.ROOT);
        boolean ends = "/".equals(tag.group(1));
        if (unseen != null) {
            unseen = ends && name.equals(unseen) ? null : unseen;
        } else if (UNSEEN.contains(name)) {
            unseen = ends ? null : name;
        } else if (BLOCKS.contains(name)) {
            endLine();
            quotes = Math.max(0, quotes + (!name.equals(QUOTE) ? 0 : ends ? -1 : 1));
        }
    }

    private void write(String part) {
        if (unseen == null) {
            line.append(part);
        }
    }

    private void endLine() {
        String written = ENTITY.matcher(line).replaceAll(HtmlText::character);
        String plain = written.replaceAll("[\\s\u00a0]+", " ").strip();
        if (!plain.isEmpty()) {
            text.append(quotes > 0 ? "> " : "").append(plain).append('\n');
        }
        line.setLength(0);
    }

    private static String character(MatchResult entity) {
        String number = entity.group(1);
        String character =
                number != null
                        ? Character.toString(Integer.parseInt(number))
                        : switch (entity.group(2)) {
                            case "lt" -> "<";
                            case "gt" -> ">";
                            case "amp" -> "&";
                            default -> " ";
                        };
        return Matcher.quoteReplacement(character);
    }
}
