package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The recipients of a mail. Each is parsed once, when a line asks for it; most mails come from
 * strangers, and no line does. For one thread.
 */
public final class Recipients {
    private static final ParsedAddress NOBODY = new Malformed("nobody in particular");

    private final List<String> written;
    private final Subaddressing subaddressing;
    private @Nullable ParsedAddress[] parsed = {};

    /**
     * Takes the recipients of a mail.
     *
     * @param written as the mail has them; none: one that is nobody in particular
     * @param subaddressing what begins their tags
     */
    Recipients(List<String> written, Subaddressing subaddressing) {
        this.written = written;
        this.subaddressing = subaddressing;
    }

    /** Returns how many there are, at least one. */
    int count() {
        return Math.max(1, written.size());
    }

    /** Returns a recipient as the mail has it, or null for nobody in particular. */
    @Nullable String written(int i) {
        return written.isEmpty() ? null : written.get(i);
    }

    /** Returns whether a line that is for this address or domain is for that recipient. */
    boolean isFor(Key to, int i) {
        return switch (parsed(i)) {
            case WellFormed(Address address) -> address.hasKey(to, subaddressing);
            case Malformed malformed -> false;
        };
    }

    private ParsedAddress parsed(int i) {
        if (parsed.length == 0) {
            parsed = new ParsedAddress[count()];
        }
        ParsedAddress known = parsed[i];
        if (known == null) {
            String recipient = written(i);
            known = recipient == null ? NOBODY : AddressSyntax.parse(recipient);
            parsed[i] = known;
        }
        return known;
    }
}
