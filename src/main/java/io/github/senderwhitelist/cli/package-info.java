/** The command line. No other package uses the terminal. */
@NullMarked
package io.github.senderwhitelist.cli;

import org.jspecify.annotations.NullMarked;
