/** Comparisons with the peers, run by hand: profile {@code bench}. */
@NullMarked
package io.github.senderwhitelist.bench;

import org.jspecify.annotations.NullMarked;
