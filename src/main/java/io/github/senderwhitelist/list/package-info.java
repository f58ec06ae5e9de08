/** Text lists: their lines, their files, what is wrong with them. */
@NullMarked
package io.github.senderwhitelist.list;

import org.jspecify.annotations.NullMarked;
