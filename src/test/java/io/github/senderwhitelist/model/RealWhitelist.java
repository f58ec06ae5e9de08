package io.github.senderwhitelist.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.model.WhitelistModel.Answer;
import io.github.senderwhitelist.model.WhitelistModel.Mail;
import io.github.senderwhitelist.model.WhitelistModel.Settings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.Builds;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The whitelist of the project, made of text by way of snapshots in memory. */
final class RealWhitelist {
    private final Whitelist whitelist;
    private Instant now = Instant.EPOCH;

    private RealWhitelist(List<SenderList> lists, Settings settings) {
        String forms = settings.unwrap().isEmpty() ? "none" : String.join(",", settings.unwrap());
        Policy policy =
                new Policy(
                        tags(settings.delimiter()),
                        new Unwrapping(
                                Unwrapping.VALUES.parse(forms).orElseThrow(),
                                settings.secret() == null ? List.of() : List.of(settings.secret())),
                        AuthRequirement.VALUES.parse(settings.required()).orElseThrow(),
                        () -> now,
                        tags(settings.recipientDelimiter()),
                        recipient -> user(settings.users().get(recipient.toString())),
                        SenderIdentity.VALUES.parse(settings.sender()).orElseThrow(),
                        false,
                        domain -> false);
        whitelist = new Whitelist(lists, policy);
    }

    private static Subaddressing tags(@Nullable Character delimiter) {
        return Subaddressing.VALUES
                .parse(delimiter == null ? "none" : delimiter.toString())
                .orElseThrow();
    }

    private static @Nullable Address user(@Nullable String user) {
        return user != null && AddressSyntax.parse(user) instanceof Address address
                ? address
                : null;
    }

    /** Returns the whitelist of these lists, or null when one of them is refused. */
    static @Nullable RealWhitelist of(
            List<List<String>> lists, Settings settings, BuildOptions options) throws IOException {
        List<SenderList> all = new ArrayList<>();
        for (List<String> list : lists) {
            try {
                MemoryDisk disk = new MemoryDisk();
                Path file = Path.of("/list.swl");
                byte[] text = String.join("\n", list).getBytes(UTF_8);
                Builds.of(options, 42).on(disk).build(text, file);
                Generation generation = Generation.exact(Snapshot.open(disk, file), 1000);
                all.add(() -> generation);
            } catch (ListRefusedException e) {
                return null;
            }
        }
        return new RealWhitelist(all, settings);
    }

    /** Returns the verdicts on a mail for each of its recipients; none: nobody in particular. */
    List<Answer> answers(Mail mail, List<String> recipients) {
        now = mail.at();
        Sender from = mail.from() == null ? MailFacts.NO_ONE_MAILBOX : Sender.parse(mail.from());
        MailFacts facts =
                new MailFacts(
                        Sender.parse(mail.envelope()),
                        () -> from,
                        recipients,
                        sender -> confirmed(mail, sender));
        return whitelist.check(facts).stream().map(RealWhitelist::answer).toList();
    }

    private static Set<Confirmation> confirmed(Mail mail, Address sender) {
        return Stream.of(Confirmation.SPF, Confirmation.DKIM)
                .filter(by -> mail.confirmed().contains(by.label() + " " + sender.domain()))
                .collect(Collectors.toSet());
    }

    private static Answer answer(Verdict verdict) {
        return new Answer(
                verdict.reason().label(),
                verdict.entry() == null ? Set.of() : Set.of(verdict.entry().key().toString()));
    }
}
