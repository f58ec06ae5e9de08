/** The commands that users send by mail. */
@NullMarked
package io.github.senderwhitelist.mailet.bymail;

import org.jspecify.annotations.NullMarked;
