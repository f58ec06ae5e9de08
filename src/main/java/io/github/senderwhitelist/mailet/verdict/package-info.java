/** The verdict on a mail, its header and its seal. */
@NullMarked
package io.github.senderwhitelist.mailet.verdict;

import org.jspecify.annotations.NullMarked;
