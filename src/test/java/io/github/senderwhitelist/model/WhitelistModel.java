package io.github.senderwhitelist.model;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A whitelist as the manual describes it, done in the plainest way: lines, looked through from the
 * first to the last for each question. It shares no code with the whitelist it is compared with.
 */
public final class WhitelistModel {
    /** Reasons not to list a sender; of several the first is reported. */
    private static final List<String> REASONS =
            List.of(
                    "denied",
                    "unauthenticated",
                    "expired",
                    "not-yet",
                    "stranger",
                    "ambiguous-from",
                    "malformed",
                    "null-sender");

    private final List<ModelLine> lines = new ArrayList<>();
    private final Settings settings;

    /**
     * The parameters of a mailet that a decision depends on.
     *
     * @param delimiter what begins a tag of a sender; null: nothing
     * @param recipientDelimiter what begins a tag of a recipient; null: nothing
     * @param unwrap of {@code batv}, {@code srs} and {@code verp}
     * @param secret for {@code srs}; null: none
     * @param required what entries without {@code auth=} require
     * @param users the users that addresses belong to
     */
    public record Settings(
            @Nullable Character delimiter,
            @Nullable Character recipientDelimiter,
            Set<String> unwrap,
            @Nullable String secret,
            String required,
            Map<String, String> users) {}

    /**
     * A mail, as far as a decision depends on it.
     *
     * @param sender as written
     * @param identities the addresses that the mail gives its sender
     * @param people those of them by which lines of users and learned ones may list, From: first
     * @param to the recipient as written; null: nobody in particular
     * @param at when
     * @param confirmed each way with the domain or address it confirms, such as {@code spf
     *     x.example}
     */
    public record Mail(
            String sender,
            List<String> identities,
            List<String> people,
            @Nullable String to,
            Instant at,
            Set<String> confirmed) {}

    /**
     * A verdict.
     *
     * @param reason in the words of the manual
     * @param keys what the entry in the verdict may speak of; empty: there is none
     */
    public record Answer(String reason, Set<String> keys) {
        /** Whether the sender is listed. */
        public boolean isListed() {
            return reason.equals("listed");
        }
    }

    private WhitelistModel(Settings settings) {
        this.settings = settings;
    }

    /** Returns the whitelist of these lists, or null when one of them is refused. */
    public static @Nullable WhitelistModel of(List<List<String>> lists, Settings settings) {
        WhitelistModel model = new WhitelistModel(settings);
        for (List<String> list : lists) {
            int bad = 0;
            int good = 0;
            for (String line : list) {
                Object read = ModelLine.read(line);
                if (read instanceof ModelLine entry) {
                    model.lines.add(entry);
                    good++;
                } else if (read == ModelLine.Other.BAD) {
                    bad++;
                }
            }
            if (good == 0 || (bad > 3 && bad * 100 > good + bad)) {
                return null;
            }
        }
        return model;
    }

    /** Returns the first of these reasons not to list a sender. */
    public static String first(Collection<String> reasons) {
        return REASONS.stream().filter(reasons::contains).findFirst().orElseThrow();
    }

    /**
     * Returns why a mail is listed or not.
     *
     * @param which the parameter {@code sender}
     * @param envelope the reason about the envelope sender
     * @param from the reason about the header From:
     */
    public static String together(String which, String envelope, String from) {
        List<String> both = List.of(envelope, from);
        if (envelope.equals("null-sender") || which.equals("envelope")) {
            return envelope;
        }
        if (which.equals("from")) {
            return from;
        }
        boolean isListed =
                which.equals("either")
                        ? both.contains("listed") && !both.contains("denied")
                        : both.equals(List.of("listed", "listed"));
        return isListed ? "listed" : first(both);
    }

    /** Returns the verdict. */
    public Answer answer(Mail mail) {
        if (mail.sender().isEmpty()) {
            return new Answer("null-sender", Set.of());
        }
        ModelAddress written = ModelAddress.of(mail.sender());
        if (written == null) {
            return new Answer("malformed", Set.of());
        }
        ModelAddress sender =
                ModelUnwrapping.unwrap(written, settings.unwrap(), settings.secret(), mail.at());
        List<Answer> nearest = new ArrayList<>();
        List<Answer> said = new ArrayList<>();
        add(said, walk("admin", written, sender, true, mail, nearest));
        boolean isListedByAdmin = !keys(said, "listed").isEmpty();
        for (String address : mail.identities()) {
            ModelAddress person = ModelAddress.of(address);
            if (person != null) {
                ModelAddress form =
                        ModelUnwrapping.unwrap(
                                person, settings.unwrap(), settings.secret(), mail.at());
                List<ModelAddress> known =
                        mail.people().stream()
                                .map(ModelAddress::of)
                                .filter(Objects::nonNull)
                                .toList();
                boolean mayList = known.contains(person);
                boolean isSeen = known.indexOf(person) == 0;
                Mail by = isSeen ? mail : withoutSignaturesAlone(mail);
                add(said, walk("user", person, form, mayList, by, nearest));
                add(said, walk("learned", person, form, mayList, by, nearest));
            }
        }
        if (!isListedByAdmin && !keys(said, "listed").isEmpty() && keys(said, "denied").isEmpty()) {
            for (String address : mail.identities()) {
                ModelAddress identity = ModelAddress.of(address);
                if (identity != null) {
                    ModelAddress form =
                            ModelUnwrapping.unwrap(
                                    identity, settings.unwrap(), settings.secret(), mail.at());
                    add(said, walk("admin", identity, form, true, mail, new ArrayList<>()));
                }
            }
        }
        for (String reason : List.of("denied", "listed")) {
            Set<String> keys = keys(said, reason);
            if (!keys.isEmpty()) {
                return new Answer(reason, keys);
            }
        }
        for (String reason : REASONS) {
            Set<String> keys = keys(nearest, reason);
            if (!keys.isEmpty()) {
                return new Answer(reason, keys);
            }
        }
        return new Answer("stranger", Set.of());
    }

    /** Returns the mail without the domains that a signature confirms and SPF does not. */
    private static Mail withoutSignaturesAlone(Mail mail) {
        Set<String> confirmed = new HashSet<>(mail.confirmed());
        confirmed.removeIf(each -> !mail.confirmed().contains(each.replace("dkim ", "spf ")));
        return new Mail(
                mail.sender(), mail.identities(), mail.people(), mail.to(), mail.at(), confirmed);
    }

    private static void add(List<Answer> said, @Nullable Answer answer) {
        if (answer != null) {
            said.add(answer);
        }
    }

    private static Set<String> keys(List<Answer> answers, String reason) {
        Set<String> keys = new HashSet<>();
        for (Answer answer : answers) {
            if (answer.reason().equals(reason)) {
                keys.addAll(answer.keys());
            }
        }
        return keys;
    }

    /** Returns what the lines of one origin say, or null if none of them counts. */
    private @Nullable Answer walk(
            String origin,
            ModelAddress written,
            ModelAddress sender,
            boolean mayList,
            Mail mail,
            List<Answer> nearest) {
        Answer said = null;
        if (!sender.equals(written)) {
            said = at(written.toString(), origin, written, mayList, mail, nearest);
        }
        ModelAddress untagged = sender.untagged(settings.delimiter());
        for (String key : sender.keys(settings.delimiter())) {
            boolean isForwarder =
                    untagged != null && key.equals(untagged.toString()) && sender.isForwarded();
            boolean lists = mayList && !isForwarder;
            said = said == null ? at(key, origin, sender, lists, mail, nearest) : said;
        }
        return said;
    }

    private @Nullable Answer at(
            String key,
            String origin,
            ModelAddress sender,
            boolean mayList,
            Mail mail,
            List<Answer> nearest) {
        Answer said = null;
        for (ModelLine line : lines) {
            if (!line.key().equals(key)
                    || !line.origin().equals(origin)
                    || !line.isFor(mail.to(), settings)
                    || (!mayList && !line.never())) {
                continue;
            }
            String failing = line.failing(sender, mail, settings);
            if (failing == null && line.never()) {
                return new Answer("denied", Set.of(key));
            }
            if (failing == null) {
                said = new Answer("listed", Set.of(key));
            } else if (!line.never()) {
                nearest.add(new Answer(failing, Set.of(key)));
            }
        }
        return said;
    }
}
