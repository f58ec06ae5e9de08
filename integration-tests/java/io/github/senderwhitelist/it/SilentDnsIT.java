package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The whole James 3.8.1 with the shipped pipeline, when no name server answers. SPF and DKIM then
 * hold a thread of James' spooler up, of which there are 20.
 */
class SilentDnsIT extends OneJames38 {
    private static final String ALICE = "alice@example.com";
    private static final String STRANGER = "stranger@elsewhere.example";
    private static final int THREADS = 20;

    /** As many as the pipeline has verified. */
    private static final int SIGNATURES = 4;

    private final SilentDns dns = new SilentDns();

    /** A name server that swallows all questions. */
    private static final class SilentDns implements AutoCloseable {
        private final List<String> questions = new CopyOnWriteArrayList<>();
        private final DatagramSocket socket;

        SilentDns() {
            try {
                socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            Thread.ofVirtual().start(this::swallow);
        }

        private void swallow() {
            while (!socket.isClosed()) {
                DatagramPacket packet = new DatagramPacket(new byte[512], 512);
                try {
                    socket.receive(packet);
                    questions.add(new String(packet.getData(), 0, packet.getLength(), ISO_8859_1));
                } catch (IOException e) {
                    // It is closed.
                }
            }
        }

        /** Returns how many questions there were about keys of DKIM, or about anything else. */
        long questions(boolean aboutKeys) {
            return questions.stream()
                    .filter(each -> each.contains("_domainkey") == aboutKeys)
                    .count();
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/silent-dns"), James38.JAR);
        directory.whitelist(List.of(ALICE));
        // James leaves this machine's own networks out.
        directory.mailetContainer(
                conf -> conf.set("SPF", Map.of("ignoredNetworks", "192.0.2.0/24")));
        Files.writeString(
                directory.conf("dnsservice.xml"),
                "<dnsservice><setAsDNSJavaDefault>false</setAsDNSJavaDefault></dnsservice>");
        start(directory, null, "-Ddns.server=127.0.0.1:" + dns.socket.getLocalPort());
        james().withUsers();
    }

    @AfterEach
    void closeDns() {
        dns.close();
    }

    private Letter send(String sender, int signatures) throws IOException {
        StringBuilder headers = new StringBuilder("From: <" + sender + ">\r\nSubject: hello\r\n");
        for (int i = 0; i < signatures; i++) {
            headers.append("DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=signer")
                    .append(i)
                    .append(".example; s=key; h=from; bh=aGk=; b=aGk=\r\n");
        }
        Letter letter = Letter.of(headers.toString(), "Hello\r\n");
        james().send(sender, List.of(SAM), letter);
        return letter;
    }

    private void awaitArrival(String folder, Letter letter) {
        assertThat(james().arrival(SAM, letter).folder()).isEqualTo(folder);
    }

    /** Prints how long a stranger's mail without a signature takes. */
    private void time(String what) throws IOException {
        long start = System.nanoTime();
        awaitArrival(UNLISTED, send(STRANGER, 0));
        System.out.printf("%s: %.1f s%n", what, (System.nanoTime() - start) / 1e9);
    }

    @Test
    void onlyWhoMayBeListedIsVerifiedButForTooManySignatures() throws Exception {
        for (int i = 0; i < THREADS; i++) {
            send("stranger" + i + "@elsewhere.example", 5);
        }
        time("an honest mail after " + THREADS + " of strangers with 5 signatures");
        assertThat(dns.questions).isEmpty();

        Letter tooMany = send(ALICE, SIGNATURES + 1);
        send(ALICE, SIGNATURES);
        patiently().until(() -> dns.questions(true) > 0);
        time("an honest mail beside one that forges a listed sender");
        awaitArrival(INBOX, tooMany);
    }

    /** What forgers of a listed sender can hold up, which James gives no means to prevent. */
    @Test
    @EnabledIfSystemProperty(named = "it.silentDns", matches = "true")
    void forgersOfAListedSenderHoldMailUp() throws Exception {
        for (int i = 0; i < THREADS; i++) {
            send(ALICE, SIGNATURES);
        }
        patiently().until(() -> dns.questions(false) >= THREADS);
        time("an honest mail after " + THREADS + " that forge a listed sender");
    }
}
