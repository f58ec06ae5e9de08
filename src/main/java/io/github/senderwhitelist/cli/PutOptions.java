package io.github.senderwhitelist.cli;

import picocli.CommandLine.Option;

import java.io.IOException;

/** The options of commands that put entries into a living list. */
final class PutOptions extends ChangeOptions {
    @Option(
            names = CREATE,
            description =
                    "With --database: make the list, and the file of the database, if it is not"
                            + " there. A list of conf/whitelists.xml needs no --create.")
    private boolean create;

    @Override
    void requirePlace() {
        super.requirePlace();
        if (create && isOnServer()) {
            throw wrong(
                    CREATE
                            + ": allowed only with --database; a server has the lists of its"
                            + " conf/whitelists.xml");
        }
    }

    @Override
    boolean isToCreate() throws IOException {
        return create || DefinedLists.names(DefinedLists.FILE).contains(list());
    }

    @Override
    String howToCreate() {
        return "; allowed: a list of conf/whitelists.xml below this folder, or any with " + CREATE;
    }
}
