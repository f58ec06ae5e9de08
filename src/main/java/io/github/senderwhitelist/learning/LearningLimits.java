package io.github.senderwhitelist.learning;

/**
 * The limits of learning.
 *
 * @param validityDays for how many days after the last mail a correspondent is listed
 * @param maxPerUser how many correspondents of a user are kept at most
 * @param maxNewPerDay how many new entries, however they come, a user may have in a day, so that a
 *     stolen account does not list the world
 */
public record LearningLimits(int validityDays, int maxPerUser, int maxNewPerDay) {}
