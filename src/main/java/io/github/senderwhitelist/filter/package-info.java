/** Approximate sets of 64-bit hashes, which never give a false negative, and their mathematics. */
@NullMarked
package io.github.senderwhitelist.filter;

import org.jspecify.annotations.NullMarked;
