/**
 * Approximate sets over 64-bit hashes: one-sided error, never a false negative; and their
 * mathematics.
 */
@NullMarked
package io.github.senderwhitelist.filter;

import org.jspecify.annotations.NullMarked;
