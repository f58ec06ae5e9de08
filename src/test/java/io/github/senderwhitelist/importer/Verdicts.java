package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.Builds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A list of ours active, as a server has it. */
final class Verdicts implements AutoCloseable {
    private final Generation generation;
    private final Whitelist whitelist;

    Verdicts(Path folder, List<String> lines, Subaddressing subaddressing) throws IOException {
        byte[] text = String.join("\n", lines).getBytes(UTF_8);
        Path file = folder.resolve("imported.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.001));
        Builds.of(options, 7).build(text, file);
        generation = Generation.exact(Snapshot.open(Disk.LOCAL, file), 0);
        whitelist = new Whitelist(List.of(() -> generation), PlainWhitelist.policy(subaddressing));
    }

    /** The verdict on a mail to nobody in particular with nothing confirmed. */
    Verdict of(String sender) {
        return of(sender, Authentication.UNCONFIRMED);
    }

    /** The verdict on a mail to nobody in particular. */
    Verdict of(String sender, Authentication authentication) {
        Address address = (Address) AddressSyntax.parse(sender);
        return whitelist
                .check(new MailFacts(new Sender.Known(address), List.of(), authentication))
                .getFirst();
    }

    @Override
    public void close() {
        generation.retire();
    }
}
