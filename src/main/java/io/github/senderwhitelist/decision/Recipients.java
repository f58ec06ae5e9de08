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
 * The recipients of a mail. A recipient is parsed when a line of a list first asks for it, because
 * most mails come from strangers, for whom no line does. For use by one thread.
 */
public final class Recipients {
    private static final ParsedAddress NOBODY = new Malformed("nobody in particular");

    private final List<String> written;
    private final Subaddressing subaddressing;
    private @Nullable ParsedAddress[] parsed = {};

    /**
     * Makes the recipients of a mail.
     *
     * @param written the recipients as the mail has them; an empty list makes one recipient that is
     *     nobody in particular
     * @param subaddressing which character begins the tag of an address
     */
    Recipients(List<String> written, Subaddressing subaddressing) {
        this.written = written;
        this.subaddressing = subaddressing;
    }

    /** Returns the number of recipients, at least 1. */
    int count() {
        return Math.max(1, written.size());
    }

    /** Returns a recipient as the mail has it, or null for nobody in particular. */
    @Nullable String written(int i) {
        return written.isEmpty() ? null : written.get(i);
    }

    /** Returns whether a line whose {@code to} is this address or domain is for a recipient. */
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
