package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.cli.Place.Named;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The lists in which one command looks senders up. */
final class OpenLists implements Closeable {
    private final List<SenderList> lists = new ArrayList<>();
    private final List<Closeable> opened = new ArrayList<>();

    private boolean hasDatabase;

    private OpenLists() {}

    /**
     * Opens lists.
     *
     * @param written files and names of lists with commas between them; a file may have a comma in
     *     its name
     * @param filters whether to load the filters, which pays only for many questions
     */
    static OpenLists open(String written, Place place, boolean filters, Complaints complaints)
            throws IOException {
        boolean isOne = !written.contains(",") || Disk.LOCAL.state(Path.of(written)).isRegular();
        OpenLists all = new OpenLists();
        try {
            for (String name :
                    isOne
                            ? List.of(written)
                            : Stream.of(written.split(",", -1)).map(String::strip).toList()) {
                all.open(place.find(name), filters, complaints);
            }
            return all;
        } catch (IOException | RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    private void open(Named named, boolean filters, Complaints complaints) throws IOException {
        // A switch over types takes longer to begin with than a lookup.
        if (named instanceof Named.InDatabase list) {
            LivingPlace place = LivingPlace.open(list);
            opened.add(place);
            hasDatabase = true;
            SenderLines lines = place.lines();
            lists.add(() -> lines);
        } else if (named instanceof Named.InFile(Path file)) {
            ListFiles.Opened list = ListFiles.open(file, filters);
            list.complain(complaints);
            Generation generation = Generation.exact(list.snapshot(), 0, Duration.ofMinutes(10));
            opened.add(generation::retire);
            lists.add(() -> generation);
        }
    }

    /** Returns the lists in the order of their names. */
    List<SenderList> lists() {
        return lists;
    }

    /** Returns whether one is in a database. */
    boolean hasDatabase() {
        return hasDatabase;
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : opened) {
            each.close();
        }
    }
}
