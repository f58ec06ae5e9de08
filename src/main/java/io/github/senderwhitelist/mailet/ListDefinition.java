package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.live.ListSettings;
import io.github.senderwhitelist.living.LivingSettings;

/** The definition of a list. Mailets and matchers with equal definitions share one copy. */
sealed interface ListDefinition {
    /** Returns the name of the list in metrics, messages and JMX. */
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
            return NamedLists.isName(name())
                    ? name() + " (" + settings.file() + ")"
                    : settings.file().toString();
        }
    }

    /** A list in a database, which changes entry by entry. */
    record Living(LivingSettings settings, DatabaseSource database) implements ListDefinition {
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
