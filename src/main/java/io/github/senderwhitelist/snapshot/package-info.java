/** Snapshots: immutable files that hold the filters and the exact store of one list. */
@NullMarked
package io.github.senderwhitelist.snapshot;

import org.jspecify.annotations.NullMarked;
