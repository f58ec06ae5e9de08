/** A spam scanner for the tests, which runs in every James. */
@NullMarked
package io.github.senderwhitelist.it.scanner;

import org.jspecify.annotations.NullMarked;
