/**
 * Addresses and domains in canonical form, the keys that lists are asked for, the rules of a key,
 * and their encodings. This package knows nothing about lists or files.
 */
@NullMarked
package io.github.senderwhitelist.address;

import org.jspecify.annotations.NullMarked;
