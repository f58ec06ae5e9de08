package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.snapshot.Sha256;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The state in which a request expects an entry: its headers {@code If-Match} and {@code
 * If-None-Match}, as RFC 9110 has them.
 *
 * <p>The tag of an entry has a part for each origin. A change of what one origin has compares that
 * part only: what the others have is not touched by it.
 *
 * @param ifMatch the value of the header, or null
 * @param ifNoneMatch the value of the header, or null
 */
public record Precondition(@Nullable String ifMatch, @Nullable String ifNoneMatch) {
    private static final String ANY = "*";
    private static final Pattern TAGS =
            Pattern.compile("\\*|(W/)?\"[^\"]*\"(\\s*,\\s*(W/)?\"[^\"]*\")*");

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** How many bytes of the digest are in a tag. */
    private static final int LENGTH = 16;

    /**
     * Checks what the request says.
     *
     * @throws WebException if it cannot be understood
     */
    Precondition checked() throws WebException {
        if (ifMatch != null && !TAGS.matcher(ifMatch.strip()).matches()) {
            throw WebException.badRequest(
                    "The header If-Match is not understood",
                    "'"
                            + Text.shown(ifMatch)
                            + "'; allowed: an ETag with its quotes, several, or *");
        }
        if (ifNoneMatch != null && !ifNoneMatch.strip().equals(ANY)) {
            throw WebException.badRequest(
                    "The header If-None-Match is not understood",
                    "'" + Text.shown(ifNoneMatch) + "'; allowed in a change: *");
        }
        return this;
    }

    /** Returns whether the request expects nothing. */
    boolean isNone() {
        return ifMatch == null && ifNoneMatch == null;
    }

    /** Returns whether what an origin has is as expected. */
    boolean holds(Target target, List<Rule> there) {
        if (ifNoneMatch != null && !there.isEmpty()) {
            return false;
        }
        if (ifMatch == null) {
            return true;
        }
        if (ifMatch.strip().equals(ANY)) {
            return !there.isEmpty();
        }
        String now = part(target.sender(), target.to(), there);
        return Arrays.stream(ifMatch.split(",", -1))
                .map(tag -> part(tag.strip(), target.origin()))
                .anyMatch(now::equals);
    }

    /** Returns the error of a request that does not find what it expects. */
    static WebException failed(Target target) {
        return new WebException(
                412,
                "The entry says something else now",
                "nothing was changed: what the origin "
                        + target.origin().label()
                        + " has is not what the request expects; GET the entry again for its ETag");
    }

    /** Returns the tag of an entry, with its quotes. */
    static String tag(Entry entry) {
        return Arrays.stream(Origin.values())
                .map(
                        origin ->
                                part(
                                        entry.key(),
                                        entry.to(),
                                        entry.rules().stream()
                                                .filter(rule -> rule.origin() == origin)
                                                .toList()))
                .collect(Collectors.joining(".", "\"", "\""));
    }

    /** Returns the part of a tag that is about an origin, or an empty string. */
    private static String part(String tag, Origin origin) {
        String[] parts =
                tag.startsWith("\"") ? tag.replace("\"", "").split("\\.", -1) : new String[0];
        return parts.length == Origin.values().length ? parts[origin.code()] : "";
    }

    /** Returns what stands in a tag for rules of one origin. Their order does not matter. */
    private static String part(Key sender, @Nullable Key to, List<Rule> rules) {
        TreeSet<String> lines = new TreeSet<>();
        rules.forEach(rule -> lines.add(rule.line(sender, to)));
        byte[] digest = Sha256.start().digest(String.join("\n", lines).getBytes(UTF_8));
        return ENCODER.encodeToString(Arrays.copyOf(digest, LENGTH));
    }
}
