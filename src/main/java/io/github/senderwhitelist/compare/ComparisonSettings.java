package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterSize;

import java.util.function.Consumer;

/**
 * The settings of a comparison.
 *
 * @param size the size of the filters
 * @param seed the seed of the choice and the order of the addresses looked up
 * @param rounds how many times each set is queried; the median counts
 * @param scratch the place for temporary files
 * @param progress takes a description of each next step
 */
public record ComparisonSettings(
        FilterSize size, long seed, int rounds, Scratch scratch, Consumer<String> progress) {}
