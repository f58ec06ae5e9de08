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
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
     * @param sender {@code envelope}, {@code from}, {@code either} or {@code both}
     * @param delimiter what begins a tag of a sender; null: nothing
     * @param recipientDelimiter what begins a tag of a recipient; null: nothing
     * @param unwrap of {@code batv}, {@code srs} and {@code verp}
     * @param secret for {@code srs}; null: none
     * @param required what entries without {@code auth=} require
     * @param users the users that addresses belong to
     */
    public record Settings(
            String sender,
            @Nullable Character delimiter,
            @Nullable Character recipientDelimiter,
            Set<String> unwrap,
            @Nullable String secret,
            String required,
            Map<String, String> users) {}

    /**
     * A mail, as far as a decision depends on it.
     *
     * @param envelope the envelope sender as written; empty for the null sender
     * @param from the one mailbox of the header From:; null: there is none
     * @param at when
     * @param confirmed each way with the domain or address it confirms, such as {@code spf
     *     x.example}
     */
    public record Mail(String envelope, @Nullable String from, Instant at, Set<String> confirmed) {}

    /**
     * A verdict.
     *
     * @param reason in the words of the manual
     * @param keys what the entry in the verdict may speak of; empty: there is none
     */
    public record Answer(String reason, Set<String> keys) {
        private Answer(String reason) {
            this(reason, Set.of());
        }

        private boolean is(String other) {
            return reason.equals(other);
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
            for (String line : list.stream().filter(ModelLine::isOne).toList()) {
                ModelLine entry = ModelLine.read(line);
                if (entry == null) {
                    bad++;
                } else {
                    model.lines.add(entry);
                    good++;
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
     * Returns the verdict on a mail for one of its recipients.
     *
     * @param to the recipient as written; null: nobody in particular
     */
    public Answer answer(Mail mail, @Nullable String to) {
        if (mail.envelope().isEmpty()) {
            return new Answer("null-sender");
        }
        Answer envelope = about(mail.envelope(), mail, to);
        Answer from =
                mail.from() == null ? new Answer("ambiguous-from") : about(mail.from(), mail, to);
        if (settings.sender().equals("envelope")) {
            return envelope;
        }
        if (settings.sender().equals("from")) {
            return from;
        }
        List<Answer> both = List.of(envelope, from);
        Set<String> reasons = both.stream().map(Answer::reason).collect(Collectors.toSet());
        boolean isListed =
                settings.sender().equals("either")
                        ? reasons.contains("listed") && !reasons.contains("denied")
                        : reasons.equals(Set.of("listed"));
        String reason = isListed ? "listed" : first(reasons);
        return new Answer(reason, keys(both, reason));
    }

    /** Returns the verdict on one of the addresses that a mail gives its sender. */
    private Answer about(String sender, Mail mail, @Nullable String to) {
        ModelAddress written = ModelAddress.of(sender);
        if (written == null) {
            return new Answer("malformed");
        }
        ModelAddress envelope = ModelAddress.of(mail.envelope());
        ModelAddress seen = mail.from() == null ? null : ModelAddress.of(mail.from());
        List<ModelAddress> identities =
                Stream.of(seen, envelope).filter(Objects::nonNull).distinct().toList();
        List<ModelAddress> people = List.of();
        if (seen != null && envelope != null) {
            people = envelope.isOneSenderWith(seen) ? identities : List.of(seen);
        }
        List<Answer> nearest = new ArrayList<>();
        List<Answer> said = new ArrayList<>();
        walk("admin", written, true, mail, to, nearest, said);
        boolean isListedByAdmin = !keys(said, "listed").isEmpty();
        for (ModelAddress person : identities) {
            boolean mayList = people.contains(person);
            Mail by = people.indexOf(person) == 0 ? mail : withoutSignaturesAlone(mail);
            walk("user", person, mayList, by, to, nearest, said);
            walk("learned", person, mayList, by, to, nearest, said);
        }
        if (!isListedByAdmin && !keys(said, "listed").isEmpty() && keys(said, "denied").isEmpty()) {
            for (ModelAddress person : identities) {
                walk("admin", person, true, mail, to, new ArrayList<>(), said);
            }
        }
        for (String reason : List.of("denied", "listed")) {
            if (!keys(said, reason).isEmpty()) {
                return new Answer(reason, keys(said, reason));
            }
        }
        nearest.add(new Answer("stranger"));
        String reason = first(nearest.stream().map(Answer::reason).toList());
        return new Answer(reason, keys(nearest, reason));
    }

    /** Returns the mail without the domains that a signature confirms and SPF does not. */
    private static Mail withoutSignaturesAlone(Mail mail) {
        Set<String> confirmed = new HashSet<>(mail.confirmed());
        confirmed.removeIf(each -> !mail.confirmed().contains(each.replace("dkim ", "spf ")));
        return new Mail(mail.envelope(), mail.from(), mail.at(), confirmed);
    }

    private static Set<String> keys(List<Answer> answers, String reason) {
        return answers.stream()
                .filter(answer -> answer.is(reason))
                .flatMap(answer -> answer.keys().stream())
                .collect(Collectors.toSet());
    }

    /** Adds what the lines of one origin say, unless none of them counts. */
    private void walk(
            String origin,
            ModelAddress written,
            boolean mayList,
            Mail mail,
            @Nullable String to,
            List<Answer> nearest,
            List<Answer> said) {
        ModelAddress sender =
                ModelUnwrapping.unwrap(written, settings.unwrap(), settings.secret(), mail.at());
        ModelAddress untagged = sender.untagged(settings.delimiter());
        Answer found = null;
        if (!sender.equals(written)) {
            found = at(written.toString(), origin, written, mayList, mail, to, nearest);
        }
        for (String key : sender.keys(settings.delimiter())) {
            boolean isForwarder =
                    untagged != null && key.equals(untagged.toString()) && sender.isForwarded();
            boolean lists = mayList && !isForwarder;
            found = found == null ? at(key, origin, sender, lists, mail, to, nearest) : found;
        }
        if (found != null) {
            said.add(found);
        }
    }

    private @Nullable Answer at(
            String key,
            String origin,
            ModelAddress sender,
            boolean mayList,
            Mail mail,
            @Nullable String to,
            List<Answer> nearest) {
        Answer said = null;
        for (ModelLine line : lines) {
            if (!line.key().equals(key)
                    || !line.origin().equals(origin)
                    || !line.isFor(to, settings)
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
