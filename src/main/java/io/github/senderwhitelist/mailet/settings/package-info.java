/** Parameters of mailets and matchers, and the lists that whitelists.xml defines. */
@NullMarked
package io.github.senderwhitelist.mailet.settings;

import org.jspecify.annotations.NullMarked;
