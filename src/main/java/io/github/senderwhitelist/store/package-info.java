/** The exact set on disk: sorted, front-coded, checked blocks. */
@NullMarked
package io.github.senderwhitelist.store;

import org.jspecify.annotations.NullMarked;
