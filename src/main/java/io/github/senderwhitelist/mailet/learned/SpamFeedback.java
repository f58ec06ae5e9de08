package io.github.senderwhitelist.mailet.learned;

/** What a user thinks of a sender. */
enum SpamFeedback {
    /** The sender sends spam. */
    SPAM,
    /** The sender does not send spam. */
    NOT_SPAM,
    /** Nothing, whatever the user has said before by moving and marking mails. */
    NONE
}
