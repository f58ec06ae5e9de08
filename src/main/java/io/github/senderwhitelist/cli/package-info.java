/** The command line; the only package that knows the terminal. */
@NullMarked
package io.github.senderwhitelist.cli;

import org.jspecify.annotations.NullMarked;
