package io.github.senderwhitelist.decision;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The text of the header From:, read as strictly as any program does. An unclear header names
 * nobody: a sender could have one address checked here and another one shown to people. It is clear
 * when these readings have the same address:
 *
 * <ul>
 *   <li>the mailbox as RFC 5322 has it, with quoted names and comments
 *   <li>every address before it that is neither quoted nor part of an encoded letter, as programs
 *       that look for an {@code @} take it
 *   <li>every address anywhere, even in quotes, if the text has letters of two bytes: their second
 *       byte may be a quote or a bracket to a program that does not know the charset
 * </ul>
 *
 * <p>Encoded words (RFC 2047) are names, decoded after the address has been found. A name can say
 * anything. Attackers write the header, so reading it takes time and memory in proportion to its
 * length, and no recursion.
 */
public final class FromHeader {
    /** The longest header that is read, in characters: ten times what Postfix accepts. */
    private static final int MAX_LENGTH = 1 << 20;

    /** A letter that cannot be in an address. */
    private static final String LETTER = "\ufffd";

    /** What a byte over 127 is in text that is not UTF-8: half of a letter, or one. */
    private static final Pattern EIGHT_BIT =
            Pattern.compile("[\\x81-\\xfe][\\x40-\\x7e\\x80-\\xff]|[\\x80-\\xff]");

    /** Letters of two bytes between escape sequences (RFC 1468), with the half-width ones. */
    private static final Pattern ISO_2022_JP =
            Pattern.compile("\\x1b(?:\\$[@B]|\\$\\(D|\\(I)[^\\x00-\\x1f\\x7f]*+|\\x1b\\([BJ]");

    /** A line break after a backslash, or without white space after it. */
    private static final Pattern NOT_FOLDED =
            Pattern.compile("\\\\[\\r\\n]|(?>\\r\\n|[\\r\\n])(?![ \\t]|\\z)");

    private static final Pattern SEPARATORS = Pattern.compile("(?U)[\\s<>()\\[\\]\",;:]+");
    private static final Pattern Q_ENCODED =
            Pattern.compile("=\\?[-\\w*]*\\?[Qq]\\?([^?@]*@[^?]*+)\\?=");
    private static final Pattern SQUARE_BRACKETS =
            Pattern.compile("\\[(?:(?i:ipv6:)[\\p{XDigit}:.]*+|[^]\"()<>\\\\,;:]*+)]");
    private static final Pattern BACKSLASH = Pattern.compile("\\\\(?![\"()<>\\\\])");
    private static final Pattern DOTTED_DOMAIN =
            Pattern.compile("@[-\\w\\x80-\\xff]+\\.[-\\w\\x80-\\xff]");

    private FromHeader() {}

    /**
     * Returns the mailbox in the headers From: of a mail, or null. There is none without exactly
     * one header, in one that is empty, a group, several mailboxes, or too long, and where
     *
     * <ul>
     *   <li>a control character stands anywhere, or another address where a reading takes it,
     *   <li>quotes, comments or brackets are such that programs may end them elsewhere,
     *   <li>the address is not UTF-8, has a comment, a space or an encoded word in it, or a quoted
     *       address in its local part, or has anything but comments after it.
     * </ul>
     */
    public static @Nullable Address mailbox(List<String> headers) {
        String header = headers.size() == 1 ? headers.getFirst() : "";
        if (header.length() > MAX_LENGTH || NOT_FOLDED.matcher(header).find()) {
            return null;
        }
        String bytes = header.replaceAll("[\r\n]", "").replace('\t', ' ');
        String utf8 = decoded(bytes);
        String text =
                ISO_2022_JP
                        .matcher(utf8 != null ? utf8 : EIGHT_BIT.matcher(bytes).replaceAll(LETTER))
                        .replaceAll(LETTER);
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            return null;
        }
        Address mailbox = onlyMailbox(text);
        // Where bytes were taken for letters, no other address may be in any reading of them.
        return mailbox == null
                        || text.equals(utf8)
                        || addresses(bytes)
                                .filter(DOTTED_DOMAIN.asPredicate())
                                .allMatch(each -> names(each, mailbox))
                ? mailbox
                : null;
    }

    /** Returns a header, one character for each byte, decoded from UTF-8; null if it is not. */
    public static @Nullable String decoded(String header) {
        if (header.chars().allMatch(c -> c < 0x80) || header.chars().anyMatch(c -> c > 0xff)) {
            return header;
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(header.getBytes(ISO_8859_1));
            return UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Returns a header {@link #decoded}; as it is if it is no UTF-8. */
    public static String readable(String header) {
        String utf8 = decoded(header);
        return utf8 == null ? header : utf8;
    }

    /** Returns the only mailbox in a line; null if there is none, or programs may take another. */
    private static @Nullable Address onlyMailbox(String line) {
        StringBuilder words = new StringBuilder(); // what is outside comments, before brackets
        StringBuilder plain = new StringBuilder(); // the same without what is quoted
        StringBuilder comments = new StringBuilder(); // those before the address
        String inBrackets = null;
        int beforeWords = -1;
        for (int i = 0, end; i < line.length(); i = end) {
            char c = line.charAt(i);
            end = endOfPart(line, i);
            if (end < 0 || (inBrackets != null && c != '(' && c != ' ')) {
                return null;
            }
            if (c == '<') {
                inBrackets = line.substring(i + 1, end - 1).trim();
                beforeWords = comments.length();
            } else if (c == '(') {
                words.append(' ');
                plain.append(' ');
                comments.append(line, i, end);
            } else if (inBrackets == null) {
                beforeWords = beforeWords < 0 && c != ' ' ? comments.length() : beforeWords;
                words.append(line, i, end);
                plain.append(c == '"' ? LETTER : line.substring(i, end));
            }
        }
        Address mailbox = address(inBrackets == null ? words.toString().trim() : inBrackets);
        return mailbox == null
                        || (inBrackets != null && !isName(plain.toString(), mailbox))
                        || !addresses(comments.substring(0, Math.max(0, beforeWords)))
                                .allMatch(each -> names(each, mailbox))
                ? null
                : mailbox;
    }

    /** Returns whether the words before an address have no {@code @}, or are the address again. */
    private static boolean isName(String words, Address mailbox) {
        List<String> all = SEPARATORS.splitAsStream(words).filter(word -> !word.isEmpty()).toList();
        return !words.contains("@") || (all.size() == 1 && names(all.getFirst(), mailbox));
    }

    /**
     * Returns where a quoted string, a comment, what is in brackets, or one character ends that
     * begins at {@code i}; -1 where programs may disagree.
     */
    private static int endOfPart(String line, int i) {
        return switch (line.charAt(i)) {
            case '"', '(' -> endOfNested(line, i);
            case '<' -> line.indexOf('>', i) < 0 ? -1 : line.indexOf('>', i) + 1;
            case '[' -> endOfMatch(SQUARE_BRACKETS, line, i);
            case '\\' -> endOfMatch(BACKSLASH, line, i);
            case ',', ';', ':', '>', ')' -> -1;
            default -> i + 1;
        };
    }

    private static int endOfMatch(Pattern pattern, String line, int i) {
        Matcher matcher = pattern.matcher(line).region(i, line.length());
        return matcher.lookingAt() ? matcher.end() : -1;
    }

    /** Returns where a quoted string or a comment ends, or -1 if it does not. */
    private static int endOfNested(String line, int i) {
        boolean quoted = line.charAt(i) == '"';
        int depth = 0;
        for (int at = i; at < line.length(); at++) {
            switch (line.charAt(at)) {
                case '\\' -> at++;
                case '"' -> depth += !quoted ? 0 : depth == 0 ? 1 : -1;
                case '(' -> depth += quoted ? 0 : 1;
                case ')' -> depth -= quoted ? 0 : 1;
                default -> {}
            }
            if (depth == 0) {
                return at + 1;
            }
        }
        return -1;
    }

    /** Returns the address that a text is as a whole, or null. */
    private static @Nullable Address address(String written) {
        return !written.contains("=?")
                        && !written.contains(LETTER)
                        && AddressSyntax.parse(written) instanceof Address address
                        && address.local().chars().noneMatch(c -> c == '@' || c == '<' || c == '>')
                ? address
                : null;
    }

    /** Returns the parts of a text that have an {@code @}. */
    private static Stream<String> addresses(String text) {
        return SEPARATORS.splitAsStream(text).filter(part -> part.contains("@"));
    }

    /** Returns whether a word is this mailbox, perhaps in quotes or in an encoded word. */
    private static boolean names(String word, Address mailbox) {
        Matcher encoded = Q_ENCODED.matcher(word);
        if (encoded.matches()) {
            String name = encoded.group(1).replace('_', ' ').replace("=5F", "_");
            return addresses(name).allMatch(each -> mailbox.equals(address(each)));
        }
        return mailbox.equals(address(word.replaceFirst("^'(.*)'$", "$1")));
    }
}
