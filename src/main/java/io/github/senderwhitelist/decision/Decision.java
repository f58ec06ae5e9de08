package io.github.senderwhitelist.decision;

import java.util.List;

/**
 * A decision on a mail.
 *
 * @param senders the addresses that were asked for, one or two
 * @param verdicts a verdict for each recipient, or a single one without recipients
 * @param steps how they came about, in lines for people; empty unless wanted
 */
public record Decision(List<Sender> senders, List<Verdict> verdicts, List<String> steps) {}
