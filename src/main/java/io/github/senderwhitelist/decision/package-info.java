/** Decides, from what lists hold, whether the sender of a mail is listed for its recipients. */
@NullMarked
package io.github.senderwhitelist.decision;

import org.jspecify.annotations.NullMarked;
