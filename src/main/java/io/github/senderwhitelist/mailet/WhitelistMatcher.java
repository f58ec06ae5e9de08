package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.base.GenericMatcher;

/** A matcher whose condition names lists, and parameters after these. */
abstract class WhitelistMatcher extends GenericMatcher {
    private final FileSystem files;
    private final String name;

    /** Asks the lists. */
    final SenderCheck check;

    WhitelistMatcher(String name, FileSystem files, SharedLists shared) {
        this.name = name;
        this.files = files;
        this.check = new SenderCheck(name, shared);
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(
                () ->
                        open(
                                Configuration.of(
                                        name,
                                        Parameters.ofCondition(name, getCondition()),
                                        files)));
    }

    /** Reads the parameters and begins. */
    abstract void open(Parameters parameters) throws SettingException;

    final boolean isLocal(String domain) {
        return getMailetContext().isLocalServer(Domain.of(domain));
    }

    @Override
    public void destroy() {
        check.close();
    }
}
