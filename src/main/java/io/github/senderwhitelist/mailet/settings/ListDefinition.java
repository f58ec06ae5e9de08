package io.github.senderwhitelist.mailet.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.Sha256;

import java.nio.file.Path;
import java.util.HexFormat;

/** The definition of a list. Mailets and matchers with equal definitions share one copy. */
public sealed interface ListDefinition {
    /** Returns the name of the list in metrics and messages. */
    String name();

    /**
     * Returns how the log names the list: by what it is read from, after its name if it has one.
     */
    String title();

    /** A list in a file. */
    record OfFile(ListSettings settings) implements ListDefinition {
        @Override
        public String name() {
            return settings.name();
        }

        @Override
        public String title() {
            return ListName.hasForm(name())
                    ? name() + " (" + settings.file() + ")"
                    : settings.file().toString();
        }
    }

    /**
     * A list in a database, which changes entry by entry.
     *
     * @param workDirectory where its base is kept for the next start
     */
    record Living(LivingSettings settings, DatabaseSource database, Path workDirectory)
            implements ListDefinition {
        /**
         * Returns the file in which the base is kept. Its name has a hash of the database, so that
         * lists of the same name in other databases have other files.
         */
        public Path base() {
            byte[] digest = Sha256.start().digest(database.toString().getBytes(UTF_8));
            return workDirectory.resolve(
                    name() + "-" + HexFormat.of().formatHex(digest, 0, 6) + ".base");
        }

        @Override
        public String name() {
            return settings.name();
        }

        @Override
        public String title() {
            return name() + " (" + database + ")";
        }
    }
}
