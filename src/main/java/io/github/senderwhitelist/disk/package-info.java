/**
 * The one way to files: a small interface, and the thin real thing behind it. Nothing else touches
 * files, so tests can make every single call fail, or lose what a power cut may lose.
 */
@NullMarked
package io.github.senderwhitelist.disk;

import org.jspecify.annotations.NullMarked;
