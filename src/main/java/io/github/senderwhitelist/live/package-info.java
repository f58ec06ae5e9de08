/**
 * Lists that change while mail flows: a file is followed, and each of its versions comes into force
 * whole.
 */
@NullMarked
package io.github.senderwhitelist.live;

import org.jspecify.annotations.NullMarked;
