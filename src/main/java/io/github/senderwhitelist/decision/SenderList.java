package io.github.senderwhitelist.decision;

/** A list of senders that can be asked, and that may change between two questions. */
@FunctionalInterface
public interface SenderList {
    /** Returns what the list holds now; read once for each question. */
    SenderLines current();
}
