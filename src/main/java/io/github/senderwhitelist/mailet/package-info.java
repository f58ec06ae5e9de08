/** The face to Apache James; the only package that knows it. */
@NullMarked
package io.github.senderwhitelist.mailet;

import org.jspecify.annotations.NullMarked;
