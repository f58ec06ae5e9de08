package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.apache.james.core.Domain;
import org.apache.mailet.base.GenericMatcher;

/** A matcher whose condition names lists, and parameters after these. */
abstract class WhitelistMatcher extends GenericMatcher {
    private final String name = getClass().getSimpleName();
    private final SharedLists shared;
    final SenderCheck check;

    WhitelistMatcher(SharedLists shared) {
        this.shared = shared;
        this.check = new SenderCheck(name, shared);
    }

    @Override
    public void init() {
        open(shared.named().parameters(name, Parameters.ofCondition(name, getCondition())));
    }

    /** Reads the parameters and begins. */
    abstract void open(Parameters parameters);

    final boolean isLocal(String domain) {
        return getMailetContext().isLocalServer(Domain.of(domain));
    }

    @Override
    public void destroy() {
        check.close();
    }
}
