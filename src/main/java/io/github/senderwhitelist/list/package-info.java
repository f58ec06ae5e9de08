/** Text lists: reading them, parsing their lines, and saying what is wrong with them. */
@NullMarked
package io.github.senderwhitelist.list;

import org.jspecify.annotations.NullMarked;
