/** What is learned from the folders that users file mails in. */
@NullMarked
package io.github.senderwhitelist.mailet.learned;

import org.jspecify.annotations.NullMarked;
