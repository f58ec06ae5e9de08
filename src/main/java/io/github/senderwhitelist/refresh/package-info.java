/** Follows the files of lists and activates each new version of a file, whole, while mail flows. */
@NullMarked
package io.github.senderwhitelist.refresh;

import org.jspecify.annotations.NullMarked;
