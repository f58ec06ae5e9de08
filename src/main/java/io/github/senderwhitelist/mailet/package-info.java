/**
 * The mailets, the matcher, the routes and the health check that James loads. Only this package and
 * those below it depend on James.
 */
@NullMarked
package io.github.senderwhitelist.mailet;

import org.jspecify.annotations.NullMarked;
