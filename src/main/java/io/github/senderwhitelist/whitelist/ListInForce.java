package io.github.senderwhitelist.whitelist;

/** A list that can be asked: whatever generation of it is in force now. */
@FunctionalInterface
public interface ListInForce {
    /** The generation in force; read once for each question. */
    Generation current();
}
