/** The mailet and the matcher for Apache James. No other package depends on James. */
@NullMarked
package io.github.senderwhitelist.mailet;

import org.jspecify.annotations.NullMarked;
