/** The routes of WebAdmin. */
@NullMarked
package io.github.senderwhitelist.mailet.web;

import org.jspecify.annotations.NullMarked;
