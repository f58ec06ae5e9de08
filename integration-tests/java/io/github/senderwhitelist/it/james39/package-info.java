/**
 * The mailet container of James 3.9 as a program of its own: what Maven Central has of that server,
 * and what it takes to run it.
 */
@NullMarked
package io.github.senderwhitelist.it.james39;

import org.jspecify.annotations.NullMarked;
