package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Text;

import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;

import java.util.Map;

/** The parameter of a mailet that names a living list. */
final class LivingParameter {
    private LivingParameter() {}

    /**
     * Returns the definition of the list, which must be a living one.
     *
     * @param owner what has the parameter, for messages
     * @param parameter the name of the parameter
     * @param list the name of the list
     */
    static ListDefinition.Living definition(
            String owner, String parameter, String list, FileSystem files, NamedLists named)
            throws MessagingException {
        if (NamedLists.isName(list)
                && new Parameters(owner, Map.of(Parameters.WHITELIST, list), files)
                                .lists(named)
                                .getFirst()
                        instanceof ListDefinition.Living living) {
            return living;
        }
        throw new MessagingException(
                owner
                        + ": parameter "
                        + parameter
                        + " = '"
                        + Text.shown(list)
                        + "'; allowed: the name of a list in conf/whitelists.xml whose source is a"
                        + " database");
    }
}
