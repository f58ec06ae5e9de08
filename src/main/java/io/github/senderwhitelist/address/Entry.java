package io.github.senderwhitelist.address;

/**
 * What a list says of a key.
 *
 * @param key the key
 * @param denied true for a {@code !} entry: never listed, though a wider entry lists it
 */
public record Entry(Key key, boolean denied) {

    /** The entry as a list writes it. */
    @Override
    public String toString() {
        return denied ? "!" + key : key.toString();
    }
}
