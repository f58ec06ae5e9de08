/** Sorts any number of entries by their keys, in bounded memory, and merges those of one key. */
@NullMarked
package io.github.senderwhitelist.sort;

import org.jspecify.annotations.NullMarked;
