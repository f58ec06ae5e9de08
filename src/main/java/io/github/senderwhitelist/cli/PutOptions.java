package io.github.senderwhitelist.cli;

import java.io.IOException;

/** The options of commands that put entries into a living list. */
final class PutOptions extends ChangeOptions {
    private final Given<Boolean> create =
            flag(
                    CREATE,
                    "Make the list, and the file of the database, if it is not there. A list of"
                            + " conf/whitelists.xml needs no --create.");

    PutOptions(Options command) {
        super(command);
    }

    @Override
    boolean isToCreate() throws IOException {
        return create.value()
                || DefinedLists.isDatabase(
                        DefinedLists.sources(DefinedLists.FILE).getOrDefault(list(), ""));
    }

    @Override
    String howToCreate() {
        return "; allowed: a list of conf/whitelists.xml below this folder, or any with " + CREATE;
    }
}
