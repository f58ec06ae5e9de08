/** Measures the kinds of filter side by side and draws charts of the results. */
@NullMarked
package io.github.senderwhitelist.compare;

import org.jspecify.annotations.NullMarked;
