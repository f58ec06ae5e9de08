/** The exact set of entries on disk, in blocks of sorted entries with checksums. */
@NullMarked
package io.github.senderwhitelist.store;

import org.jspecify.annotations.NullMarked;
