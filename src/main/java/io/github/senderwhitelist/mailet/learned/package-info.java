/** The folders of users and what their mails say, and the queue of what is learned. */
@NullMarked
package io.github.senderwhitelist.mailet.learned;

import org.jspecify.annotations.NullMarked;
