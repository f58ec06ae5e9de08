package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.database.Database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The options that name a living list and say where it is. */
class LivingOptions extends PlaceOptions {
    static final String LIST = "--list";

    private final Given<String> list =
            option(LIST, "NAME", Values.nameOfList(), "The name of the living list.");

    LivingOptions(Options command) {
        super(command);
    }

    /** Returns whether any of the options is given. */
    final boolean any() {
        return list.isThere() || isInDatabase();
    }

    /** Returns the name of the list. */
    final String list() {
        return list.value();
    }

    /** Rejects options that do not say which list, or not where it is. */
    void requirePlace() {
        requireConsistent("The name of the list goes to --list");
        if (!list.isThere()) {
            throw wrong("--list is missing; allowed: the name of a living list");
        }
        if (!isInDatabase()) {
            throw wrong("--database is missing; allowed: the URL of the list's database");
        }
    }

    /** Opens the list. */
    LivingPlace open() throws IOException {
        return open(null);
    }

    /**
     * Opens the list.
     *
     * @param who who changes it, or null for nobody in particular
     * @throws IOException if there is no such list, and it is not to be created
     */
    final LivingPlace open(@Nullable String who) throws IOException {
        requirePlace();
        String name = list();
        Database opened = openDatabase();
        try {
            if (isToCreate() && !opened.lists().contains(name)) {
                opened.record(name).create();
            }
            requireList(opened, name);
            return new LivingPlace(
                    opened,
                    name,
                    who == null ? "command line " + System.getProperty("user.name") : who);
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
