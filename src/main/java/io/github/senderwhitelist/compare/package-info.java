/** The filter kinds side by side, measured, and charts of it. */
@NullMarked
package io.github.senderwhitelist.compare;

import org.jspecify.annotations.NullMarked;
