/**
 * Keeps the entries of lists in a database: SQLite in a file, or PostgreSQL, which several servers
 * share.
 */
@NullMarked
package io.github.senderwhitelist.database;

import org.jspecify.annotations.NullMarked;
