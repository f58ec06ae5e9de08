/** The exact set of entries on disk: sorted in bounded memory, in blocks with checksums. */
@NullMarked
package io.github.senderwhitelist.store;

import org.jspecify.annotations.NullMarked;
