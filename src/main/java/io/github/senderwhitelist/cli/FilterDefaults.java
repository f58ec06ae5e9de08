package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

/** The filter that is built when no option is given. */
final class FilterDefaults {
    static final double RATE = 0.001;
    static final FilterSize SIZE = FilterSize.ofRate(RATE);
    static final BuildOptions OPTIONS = new BuildOptions(SIZE.usualKind(), SIZE);

    private FilterDefaults() {}
}
