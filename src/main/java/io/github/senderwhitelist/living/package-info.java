/**
 * Lists that change entry by entry. Their entries are in a database. A filter in memory, to which
 * entries are only added, keeps strangers from it.
 */
@NullMarked
package io.github.senderwhitelist.living;

import org.jspecify.annotations.NullMarked;
