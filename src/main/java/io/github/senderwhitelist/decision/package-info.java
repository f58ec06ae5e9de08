/** The decision: from a sender and its recipients to verdicts, by what lists hold. */
@NullMarked
package io.github.senderwhitelist.decision;

import org.jspecify.annotations.NullMarked;
