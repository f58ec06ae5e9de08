/**
 * Keeps the entries of lists in a database: H2 within this process, or PostgreSQL, which several
 * servers share.
 */
@NullMarked
package io.github.senderwhitelist.database;

import org.jspecify.annotations.NullMarked;
