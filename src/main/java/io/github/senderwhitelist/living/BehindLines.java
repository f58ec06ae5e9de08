package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderLines;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The content of a living list that may lack the latest changes, and that must list no sender in
 * that case.
 */
record BehindLines(SenderLines lines, String list) implements SenderLines {
    @Override
    public boolean mightContainAddress(Key key) {
        return lines.mightContainAddress(key);
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        return lines.mightContainDomain(bytes, start);
    }

    @Override
    public boolean mayHave(Key key) {
        return lines.mayHave(key);
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        return lines.find(key, to);
    }

    @Override
    public @Nullable String source(Key key, @Nullable Key to) {
        return lines.source(key, to);
    }

    @Override
    public boolean hasPersonal() {
        return lines.hasPersonal();
    }

    @Override
    public String describe() {
        return lines.describe();
    }

    @Override
    public IOException doubt() {
        return new IOException(
                "the latest changes of living list " + list + " are not known (whenBehind)");
    }
}
