package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The lines of a living list, read from its database for each lookup; it has no filter. */
record TableLines(String name, ListRecord record) implements SenderLines {
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
        return record.find(key, to);
    }

    @Override
    public boolean hasPersonal() {
        return true;
    }

    @Override
    public String describe() {
        return "the living list " + name + ", as it is in the database now";
    }
}
