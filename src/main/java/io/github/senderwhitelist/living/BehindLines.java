package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.SenderLines;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The content of a living list that must list no sender: it may lack the latest changes, or nothing
 * is known of it.
 *
 * @param lines what is known; null if nothing is
 * @param why what is wrong
 */
record BehindLines(@Nullable SenderLines lines, String why) implements SenderLines {
    @Override
    public boolean mightContain(Address address, Subaddressing subaddressing) {
        return lines == null || lines.mightContain(address, subaddressing);
    }

    @Override
    public boolean mightContain(Key key) {
        return lines == null || lines.mightContain(key);
    }

    @Override
    public void countRefused(int addresses) {
        if (lines != null) {
            lines.countRefused(addresses);
        }
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        if (lines == null) {
            throw doubt();
        }
        return lines.find(key, to);
    }

    @Override
    public boolean hasPersonal() {
        return lines == null || lines.hasPersonal();
    }

    @Override
    public String describe() {
        return lines == null ? why : lines.describe();
    }

    @Override
    public IOException doubt() {
        return new IOException(why);
    }
}
