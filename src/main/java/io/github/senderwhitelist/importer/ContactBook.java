package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;

/**
 * The entries that a user's address book becomes: {@code ADDRESS auth=any to=USER origin=user}.
 * Address books hold much that is no address, so such values are reported and never refuse a book.
 */
final class ContactBook {
    final Ledger ledger;
    private final String conditions;

    /**
     * Makes a book.
     *
     * @param user whom the entries are for
     */
    ContactBook(Ledger ledger, Address user) {
        this.ledger = ledger;
        this.conditions = "auth=any to=" + user.key() + " origin=user";
    }

    /**
     * Takes what stands where a contact's address is expected.
     *
     * @param place where it stands, for the end of a message, or an empty string
     */
    void take(String written, String place) {
        String address = HiddenCharacters.strip(written);
        if (address.isEmpty()) {
            return;
        }
        if (address.indexOf('\ufffd') >= 0) {
            ledger.report(address, "not UTF-8" + place);
        } else if (address.startsWith("*@")) {
            ledger.report(address, "a pattern, not an address" + place);
        } else if (AddressSyntax.parse(address) instanceof Malformed(String reason)) {
            ledger.report(address, reason + place);
        } else {
            ledger.take(new SenderPattern.Exact(address), false, conditions);
        }
    }
}
