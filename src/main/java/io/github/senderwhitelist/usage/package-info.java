/** Counts how often the lines of lists are used, and reports it. */
@NullMarked
package io.github.senderwhitelist.usage;

import org.jspecify.annotations.NullMarked;
