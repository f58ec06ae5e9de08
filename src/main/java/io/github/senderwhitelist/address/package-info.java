/**
 * What a key is: addresses and domains in canonical form, and their hashes. Knows nothing of lists
 * or files.
 */
@NullMarked
package io.github.senderwhitelist.address;

import org.jspecify.annotations.NullMarked;
