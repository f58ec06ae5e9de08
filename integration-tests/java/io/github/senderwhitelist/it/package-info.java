/** The plugin at work in real James servers, and the harness that runs them. */
@NullMarked
package io.github.senderwhitelist.it;

import org.jspecify.annotations.NullMarked;
