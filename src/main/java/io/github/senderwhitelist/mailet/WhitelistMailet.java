package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.apache.james.core.Domain;
import org.apache.mailet.base.GenericMailet;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A mailet whose parameters name lists. */
abstract class WhitelistMailet extends GenericMailet {
    private static final Set<String> OF_EVERY_MAILET =
            Set.of("onMailetException", "onMatchException");

    final String name = getClass().getSimpleName();
    final SharedLists shared;

    WhitelistMailet(SharedLists shared) {
        this.shared = shared;
    }

    @Override
    public void init() {
        Map<String, String> values = new HashMap<>();
        getInitParameterNames().forEachRemaining(each -> values.put(each, getInitParameter(each)));
        values.keySet().removeAll(OF_EVERY_MAILET);
        open(shared.named().parameters(name, values));
    }

    /** Reads the parameters and begins. */
    abstract void open(Parameters parameters);

    final boolean isLocal(String domain) {
        return getMailetContext().isLocalServer(Domain.of(domain));
    }
}
