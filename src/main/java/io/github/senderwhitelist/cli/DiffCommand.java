package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * {@code diff A B}: prints the entries that snapshot B lacks ({@code -}) and those that only B has
 * ({@code +}).
 */
final class DiffCommand extends Subcommand {
    private final Given<Path> before = argument(0, "A", Values.file(), "A snapshot (.swl).");

    private final Given<Path> after = argument(1, "B", Values.file(), "Another snapshot (.swl).");

    private boolean different;

    DiffCommand() {
        super("diff", "Prints the entries removed (-) and added (+) between two snapshots.");
        exitCodes("0:the same entries", "1:different", "2:failure");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() throws IOException {
        PrintWriter out = out();
        try (Snapshot a = Snapshot.openStore(Disk.LOCAL, Lists.existing(before.value()));
                Snapshot b = Snapshot.openStore(Disk.LOCAL, Lists.existing(after.value()));
                ProgressDisplay progress = ProgressDisplay.besideOutput()) {
            long all = Math.max(a.header().entries(), b.header().entries());
            long done = 0;
            BlockStore.Walk left = Objects.requireNonNull(a.store()).walk();
            BlockStore.Walk right = Objects.requireNonNull(b.store()).walk();
            Entry removed = left.next();
            Entry added = right.next();
            while (removed != null || added != null) {
                int order =
                        removed == null
                                ? 1
                                : added == null ? -1 : Entry.ORDER.compare(removed, added);
                print(out, "-", order <= 0 ? removed : null, order == 0 ? added : null);
                print(out, "+", order >= 0 ? added : null, order == 0 ? removed : null);
                progress.count("comparing", Math.min(++done, all), all);
                removed = order <= 0 ? left.next() : removed;
                added = order >= 0 ? right.next() : added;
            }
        }
        return different ? Main.NEGATIVE : Main.DONE;
    }

    /** Prints those lines of an entry that the other entry does not have. */
    private void print(PrintWriter out, String sign, @Nullable Entry entry, @Nullable Entry other) {
        List<String> lines = new ArrayList<>(entry == null ? List.of() : entry.lines());
        lines.removeAll(other == null ? List.of() : other.lines());
        different |= !lines.isEmpty();
        lines.forEach(line -> out.println(sign + line));
    }
}
