package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.usage.UsageCounter;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.lifecycle.api.LifecycleUtil;
import org.apache.james.server.core.MailImpl;
import org.apache.james.server.core.MimeMessageInputStreamSource;
import org.apache.james.server.core.MimeMessageWrapper;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * What a mail costs the mailet whose entries ask for DKIM, or that adds headers: processor time of
 * {@code service()}, for honest mails and for the most expensive ones that a sender can write. The
 * message is James' own, its headers loaded before, as {@code DKIMVerify} does. Option: rounds
 * (51).
 */
final class AuthenticationBench {
    private static final int WARMUP = 200;
    private static final int COUNTS = 10_000;
    private static final AttributeName RESULT = AttributeName.of("jDKIM.AUTHRESULT");

    private final int rounds = (int) BenchOptions.number("rounds", 51);
    private final Path folder;

    private AuthenticationBench(Path folder) {
        this.folder = folder;
    }

    private void run() throws IOException, MessagingException {
        String any = "alice@example.com\n";
        String dkim = "alice@example.com auth=dkim\n";
        StringBuilder scopes = new StringBuilder();
        for (char c = 'a'; c <= 'z'; c++) {
            scopes.append("alice@example.com auth=dkim to=@").append(c).append(".example\n");
            scopes.append("alice@example.com auth=spf to=@").append(c).append(".example\n");
        }
        scopes.append("alice@example.com auth=dkim to=@here.example\n");
        String signer = "pass (identity @example.com)";
        String other = "pass (identity @elsewhere.example)";
        String others = "pass" + " (identity @mail.elsewhere.example)".repeat(50);
        RoundTimes.line("median of %d rounds after %d", rounds, WARMUP);
        RoundTimes.line("%-60s %10s %12s", "recipients, signatures, entry", "µs", "kB allocated");
        measure("1, none, without auth=", any, "envelope", mail(1, 0, 0, other));
        measure("1, 2 of 1.5 kB", dkim, "envelope", mail(1, 2, 1_500, signer));
        measure("1,000, 100 of 10 kB", dkim, "envelope", mail(1_000, 100, 10_000, other));
        measure("200, 1 of 1 MB", dkim, "envelope", mail(200, 1, 1_000_000, other));
        measure("1,000, 1 of 30 MB", dkim, "envelope", mail(1_000, 1, 30_000_000, other));
        measure("1,000, 300,000 of 100 bytes", dkim, "envelope", mail(1_000, 300_000, 100, other));
        measure(
                "1,000, 50 of 2 kB, all looked at",
                dkim,
                "envelope",
                mail(1_000, 50, 1_990, others));
        measure("the same, without auth=", any, "envelope", mail(1_000, 50, 1_990, others));
        measure(
                "the same, 53 lines with to=, both senders",
                scopes.toString(),
                "both",
                mail(1_000, 50, 1_990, others));
        measure(
                "the same, without auth=",
                scopes.toString().replaceAll("auth=[a-z]+", ""),
                "both",
                mail(1_000, 50, 1_990, others));
        for (int recipients : new int[] {10_000, 100, 1}) {
            for (String header : List.of("off", "on")) {
                measure(
                        recipients + ", none, without auth=, header " + header,
                        any,
                        "envelope",
                        header,
                        mail(recipients, 0, 0, other));
            }
        }
        measure("1, 2 of 1.5 kB, header on", any, "envelope", "on", mail(1, 2, 1_500, signer));
        count();
    }

    /** Measures what each of these mails pays for the counting of usage. */
    private void count() {
        UsageCounter counter =
                new UsageCounter(
                        () -> {
                            throw new IOException("nothing is written");
                        },
                        null,
                        InstantSource.system());
        Key sender = Addresses.parse("alice@example.com").key();
        RoundTimes nanos = new RoundTimes(rounds);
        for (int round = -WARMUP; round < rounds; round++) {
            long start = ThreadTime.nanos();
            for (int i = 0; i < COUNTS; i++) {
                counter.count(UsedLine.of(new Entry(sender, null, Rule.ONLY_LISTS)), 1, 0);
            }
            if (round >= 0) {
                nanos.put("", round, (ThreadTime.nanos() - start) / (double) COUNTS);
            }
        }
        RoundTimes.line(
                "%-60s %10.3f", "of it to count the entry that decided", nanos.median("") / 1e3);
    }

    private void measure(String name, String list, String sender, Mail mail)
            throws IOException, MessagingException {
        measure(name, list, sender, "off", mail);
    }

    private void measure(String name, String list, String sender, String header, Mail mail)
            throws IOException, MessagingException {
        Files.writeString(folder.resolve("list.txt"), list);
        SenderWhitelist mailet =
                TestLists.mailet(
                        folder,
                        TestLists.none(),
                        "file://list.txt",
                        "maxShrink",
                        "100%",
                        "sender",
                        sender,
                        "header",
                        header);
        RoundTimes nanos = new RoundTimes(rounds);
        RoundTimes bytes = new RoundTimes(rounds);
        for (int round = -WARMUP; round < rounds; round++) {
            long allocated = AllocatedBytes.now();
            long start = ThreadTime.nanos();
            mailet.service(mail);
            long time = ThreadTime.nanos() - start;
            long more = AllocatedBytes.now() - allocated;
            if (round >= 0) {
                nanos.put(name, round, (double) time);
                bytes.put(name, round, (double) more);
            }
        }
        mailet.destroy();
        LifecycleUtil.dispose(mail);
        RoundTimes.line(
                "%-60s %10.1f %12.1f", name, nanos.median(name) / 1e3, bytes.median(name) / 1e3);
    }

    private static Mail mail(int recipients, int signatures, int length, String result)
            throws MessagingException {
        StringBuilder head = new StringBuilder("From: alice@example.com\r\n");
        String begin = "DKIM-Signature: v=1; d=x.example; b=";
        for (int i = 0; i < signatures; i++) {
            head.append(begin);
            for (int at = begin.length(); at < length; at += 74) {
                head.append("a".repeat(Math.min(71, length - at))).append("\r\n ");
            }
            head.append("a\r\n");
        }
        head.append("\r\nHello\r\n");
        MimeMessageWrapper message =
                new MimeMessageWrapper(
                        MimeMessageInputStreamSource.create(
                                "bench",
                                new ByteArrayInputStream(
                                        head.toString().getBytes(StandardCharsets.US_ASCII))));
        List<MailAddress> to = new ArrayList<>();
        for (int i = 0; i < recipients; i++) {
            to.add(new MailAddress("recipient" + i + "@here.example"));
        }
        MailImpl mail =
                MailImpl.builder()
                        .name("bench")
                        .sender(new MailAddress("alice@example.com"))
                        .addRecipients(to)
                        .build();
        mail.setMessageNoCopy(message);
        mail.setAttribute(new Attribute(RESULT, AttributeValue.of(result)));
        message.getHeader("Subject");
        return mail;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(folder -> new AuthenticationBench(folder).run());
    }
}
