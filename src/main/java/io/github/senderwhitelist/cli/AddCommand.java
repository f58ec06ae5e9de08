package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.TextSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** {@code add ENTRY... --list NAME}: puts entries into a living list. */
final class AddCommand extends Subcommand {
    private final Given<List<String>> lines =
            arguments(
                    0,
                    "ENTRY",
                    "Lines of a list, each one argument; '-': lines from standard input.");

    private long put;
    private long unchanged;

    private final PutOptions living = new PutOptions(this);

    AddCommand() {
        super(
                "add",
                "Puts entries into a living list. Lines about the same sender and recipients are"
                        + " one entry, which takes the place of what was there.");
    }

    @Override
    int call() throws IOException {
        TextSource source = source();
        try (LivingPlace place = living.open();
                LinesInOrder entries = LinesInOrder.read(List.of(source), BuildProgress.NONE)) {
            if (entries.report().badLines() > 0) {
                throw new IOException(
                        String.join("; ", entries.report().complaints()) + "; nothing was added");
            }
            entries.forEach(entry -> add(place, entry));
            out().printf(
                            Locale.ROOT,
                            "%s: %,d put, %,d unchanged%n",
                            living.list(),
                            put,
                            unchanged);
        }
        return Main.DONE;
    }

    private void add(LivingPlace place, Entry entry) throws IOException {
        for (Entry each : EntryFeeder.byOrigin(entry)) {
            LivingPlace.Put done;
            try {
                done = place.put(each);
            } catch (IOException e) {
                throw new IOException(
                        e.getMessage() + EntryFeeder.afterFailure(put + unchanged), e);
            }
            if (done.changed()) {
                put++;
            } else {
                unchanged++;
            }
            if (!done.before().isEmpty()) {
                out().println("was: " + String.join("; ", done.before()) + "\tnow: " + each);
            }
            done.lost().forEach(err()::println);
        }
    }

    private TextSource source() throws IOException {
        if (lines.value().equals(List.of("-"))) {
            return Lists.text("-");
        }
        for (String line : lines.value()) {
            if (ListLine.beginsWithCondition(line)) {
                throw new IOException(
                        "'"
                                + Text.shown(line)
                                + "': a condition, not an entry; put an entry and its conditions"
                                + " into quotes, such as 'alice@example.com auth=dkim'. Nothing was"
                                + " added");
            }
        }
        byte[] text = String.join("\n", lines.value()).getBytes(UTF_8);
        return new TextSource("the entries", text.length, () -> new ByteArrayInputStream(text));
    }
}
