/**
 * Follows the files of lists and brings each new version of a file into force, whole, while mail
 * flows.
 */
@NullMarked
package io.github.senderwhitelist.refresh;

import org.jspecify.annotations.NullMarked;
