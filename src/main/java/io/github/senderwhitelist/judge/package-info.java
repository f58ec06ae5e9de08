/** The judgement of a mail, whether it came in or is only described. */
@NullMarked
package io.github.senderwhitelist.judge;

import org.jspecify.annotations.NullMarked;
