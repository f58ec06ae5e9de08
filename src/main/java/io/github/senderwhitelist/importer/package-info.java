/** Imports the lists of other programs, line by line. */
@NullMarked
package io.github.senderwhitelist.importer;

import org.jspecify.annotations.NullMarked;
