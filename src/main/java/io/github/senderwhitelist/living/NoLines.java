package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderLines;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The content of a living list that has no base yet, or that was closed.
 *
 * @param problem why the database cannot be read, or null
 */
record NoLines(String list, boolean closed, @Nullable String problem) implements SenderLines {
    @Override
    public boolean mightContainAddress(Key key) {
        return true;
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        return true;
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        throw new IOException(describe());
    }

    @Override
    public boolean hasPersonal() {
        return true;
    }

    @Override
    public String describe() {
        return "living list "
                + list
                + (closed
                        ? ": the list is closed"
                        : ": nothing is known of it yet"
                                + (problem == null
                                        ? ", its entries are being read"
                                        : "; " + problem));
    }
}
