/** The decision and the refresh: verdicts, generations, lists that change while mail flows. */
@NullMarked
package io.github.senderwhitelist.whitelist;

import org.jspecify.annotations.NullMarked;
