package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.snapshot.Snapshot;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code export FILE}, {@code export --list NAME}: prints the entries of a snapshot or of a living
 * list as text, in the order of their keys.
 */
final class ExportCommand extends Subcommand {
    private final Given<Path> file =
            optionalArgument(
                    "FILE",
                    Values.file(),
                    "A snapshot (.swl); without it, a living list (--list).");

    private final LivingOptions living = new LivingOptions(this);

    ExportCommand() {
        super("export", "Writes the entries of a snapshot, or of a living list, as a text list.");
    }

    @Override
    boolean leavesNothing() {
        return !living.any();
    }

    @Override
    int call() throws IOException {
        PrintWriter out = out();
        if (living.any() == file.isThere()) {
            throw wrong("a FILE or --list is needed, and not both");
        }
        if (!file.isThere()) {
            try (LivingPlace place = living.open();
                    ProgressDisplay progress = ProgressDisplay.besideOutput()) {
                AtomicLong done = new AtomicLong();
                place.forEachLine(
                        line -> {
                            out.println(line);
                            progress.count("writing", done.incrementAndGet(), -1);
                        });
            }
            return Main.DONE;
        }
        String name = file.value().toString();
        if (ListName.isAllowed(name)
                && Disk.LOCAL.state(file.value()).type() == FileState.Type.MISSING) {
            throw wrong(
                    name
                            + ": no such file; did you mean '"
                            + LivingOptions.LIST
                            + " "
                            + name
                            + "'?");
        }
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL, Lists.existing(file.value()));
                ProgressDisplay progress = ProgressDisplay.besideOutput()) {
            long all = snapshot.header().entries();
            AtomicLong done = new AtomicLong();
            Objects.requireNonNull(snapshot.store())
                    .forEach(
                            entry -> {
                                entry.lines().forEach(out::println);
                                progress.count("writing", done.incrementAndGet(), all);
                            });
        }
        return Main.DONE;
    }
}
