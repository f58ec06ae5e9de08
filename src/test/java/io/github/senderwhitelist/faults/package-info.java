/** Whole programs on disks that fail, fill up, or lose power. */
@NullMarked
package io.github.senderwhitelist.faults;

import org.jspecify.annotations.NullMarked;
