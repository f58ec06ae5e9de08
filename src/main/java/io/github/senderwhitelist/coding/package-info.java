/** Bits, and prefix codes whose tables depend on the context. */
@NullMarked
package io.github.senderwhitelist.coding;

import org.jspecify.annotations.NullMarked;
