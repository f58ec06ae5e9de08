package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.cli.Place.Named;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;

/** The options of commands that change a living list: where it is, and who does it. */
final class Change {
    @Mixin private Place place = new Place();

    @Option(
            names = "--who",
            paramLabel = "NAME",
            description = "Who does it, for the history (default: the system's user).")
    private String who = "command line " + System.getProperty("user.name");

    Place place() {
        return place;
    }

    /** Opens a list that must be there. */
    LivingPlace open(Named.InDatabase list) throws IOException {
        return LivingPlace.open(list, who, false);
    }

    /** Opens a list, which is made if the configuration defines it, or it is wanted. */
    LivingPlace openToFill(Named.InDatabase list, boolean create, Complaints complaints)
            throws IOException {
        boolean make = create || list.isDefined();
        if (make && list.database() instanceof DatabaseUrl.Sqlite file && file.isNew()) {
            complaints.println(file.file() + ": no such file; a new database is made");
        }
        try {
            return LivingPlace.open(list, who, make);
        } catch (IOException e) {
            String allowed = "; allowed: a list of conf/whitelists.xml, or any with --create";
            throw make ? e : new IOException(e.getMessage() + allowed, e);
        }
    }
}
