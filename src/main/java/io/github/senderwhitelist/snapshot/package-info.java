/** One immutable file that holds the filters and the exact store of one list, made together. */
@NullMarked
package io.github.senderwhitelist.snapshot;

import org.jspecify.annotations.NullMarked;
