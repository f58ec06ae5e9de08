package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterSize;

import java.util.function.Consumer;

/**
 * How it is compared.
 *
 * @param size the size of the filters
 * @param seed of what is asked for, and in which order
 * @param scratch for what filters need while they are built
 * @param progress is told what is done next
 */
public record Settings(FilterSize size, long seed, Scratch scratch, Consumer<String> progress) {}
