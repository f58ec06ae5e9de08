/** Entries in the order of keys, each key once, in bounded memory, whatever their number. */
@NullMarked
package io.github.senderwhitelist.sort;

import org.jspecify.annotations.NullMarked;
