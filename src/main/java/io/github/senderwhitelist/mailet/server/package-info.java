/** The lists that a server has open, shared by all mailets, and what is reported of them. */
@NullMarked
package io.github.senderwhitelist.mailet.server;

import org.jspecify.annotations.NullMarked;
