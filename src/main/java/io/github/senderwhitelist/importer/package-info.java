/** Lists of other programs, line by line into ours. */
@NullMarked
package io.github.senderwhitelist.importer;

import org.jspecify.annotations.NullMarked;
