/**
 * The access to files: a small interface, and its implementation for local disks. No other package
 * touches files, with two exceptions that {@code RoomsTest} names. So tests can make each single
 * call fail, and can lose what a power cut may lose.
 */
@NullMarked
package io.github.senderwhitelist.disk;

import org.jspecify.annotations.NullMarked;
