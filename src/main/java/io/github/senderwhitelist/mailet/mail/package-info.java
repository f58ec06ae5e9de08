/** What a mail says of its sender: addresses, confirmations, contents. */
@NullMarked
package io.github.senderwhitelist.mailet.mail;

import org.jspecify.annotations.NullMarked;
