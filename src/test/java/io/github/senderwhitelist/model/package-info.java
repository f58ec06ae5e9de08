/** The list format and the decision once more, written from the manual alone, to be compared. */
@NullMarked
package io.github.senderwhitelist.model;

import org.jspecify.annotations.NullMarked;
