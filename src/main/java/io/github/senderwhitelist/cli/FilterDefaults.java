package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

/** The filter that is built when no option is given. */
final class FilterDefaults {
    static final double RATE = 0.001;
    static final BuildOptions OPTIONS =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(RATE));

    private FilterDefaults() {}
}
