/** What is learned from the mails that users write: whom they know. Knows nothing of mails. */
@NullMarked
package io.github.senderwhitelist.learning;

import org.jspecify.annotations.NullMarked;
