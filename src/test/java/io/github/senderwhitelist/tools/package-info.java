/** Programs for tests and measurements. */
@NullMarked
package io.github.senderwhitelist.tools;

import org.jspecify.annotations.NullMarked;
