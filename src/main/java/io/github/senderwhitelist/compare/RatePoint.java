package io.github.senderwhitelist.compare;

import org.jspecify.annotations.Nullable;

/**
 * The rate of a kind of filter at a size.
 *
 * @param kind the label of the kind
 * @param bitsPerAddress the memory per address
 * @param predictedRate the rate that the formula gives
 * @param rate the measured rate, or null if it was not measured
 */
public record RatePoint(
        String kind, double bitsPerAddress, double predictedRate, @Nullable Rate rate) {}
