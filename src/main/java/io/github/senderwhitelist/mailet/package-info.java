/** Stub. */
@NullMarked
package io.github.senderwhitelist.mailet;

import org.jspecify.annotations.NullMarked;
