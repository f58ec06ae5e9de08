package io.github.senderwhitelist.decision;

/** A list of senders whose content may change between two questions. */
@FunctionalInterface
public interface SenderList {
    /** Returns the active content. Never blocks; content that was replaced never comes back. */
    SenderLines current();
}
