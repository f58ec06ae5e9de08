package io.github.senderwhitelist.importer;

/**
 * Something said in a foreign list.
 *
 * @param number the line where it begins, from 1
 * @param count how many lines it takes
 * @param text what it says, without line end
 * @param cut whether the text is only the beginning of a line that is too long
 */
record Line(long number, long count, String text, boolean cut) {}
