/**
 * What is learned from what users do with mails: whom they know, and whom not. Knows nothing of
 * mails.
 */
@NullMarked
package io.github.senderwhitelist.learning;

import org.jspecify.annotations.NullMarked;
