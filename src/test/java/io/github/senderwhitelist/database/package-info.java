@NullMarked
package io.github.senderwhitelist.database;

import org.jspecify.annotations.NullMarked;
