/**
 * Targets for a fuzzer: each takes any bytes and fails when the code breaks a promise about them.
 * They know of no fuzzer themselves, so that tests can run them, too.
 */
@NullMarked
package io.github.senderwhitelist;

import org.jspecify.annotations.NullMarked;
