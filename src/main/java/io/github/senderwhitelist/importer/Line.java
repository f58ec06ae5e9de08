package io.github.senderwhitelist.importer;

/**
 * A logical line of a foreign list.
 *
 * @param number the number of the physical line where it begins, from 1
 * @param count how many physical lines it takes
 * @param text its text without line end
 * @param cut whether the text is only the beginning of a line that is too long
 */
record Line(long number, long count, String text, boolean cut) {}
