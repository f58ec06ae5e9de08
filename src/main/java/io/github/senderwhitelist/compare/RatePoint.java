package io.github.senderwhitelist.compare;

import org.jspecify.annotations.Nullable;

/**
 * The rate of a kind of filter at a size.
 *
 * @param kind its label
 * @param bitsPerAddress its memory per address
 * @param predictedRate by the formula
 * @param rate the measured one, or null when it was not measured
 */
public record RatePoint(
        String kind, double bitsPerAddress, double predictedRate, @Nullable Rate rate) {}
