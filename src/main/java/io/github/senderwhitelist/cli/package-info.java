/** Stub. */
@NullMarked
package io.github.senderwhitelist.cli;

import org.jspecify.annotations.NullMarked;
