/**
 * Lists that change entry by entry. Their entries are in a database. A snapshot of it, and the
 * changes since then in memory, answer all questions.
 */
@NullMarked
package io.github.senderwhitelist.living;

import org.jspecify.annotations.NullMarked;
