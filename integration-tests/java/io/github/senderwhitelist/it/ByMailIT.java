package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.SAM;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A user of a whole James 3.8.1 logs in and writes commands to the whitelist. */
class ByMailIT extends OneJames38 {
    private static final String ASKED = "whitelist@here.example";
    private static final String SAMMY = "sammy@here.example";
    private static final String LISTED = "/whitelists/own/for/" + SAM;

    private static ServerDirectory directory() throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/by-mail"), James38.JAR);
        Files.writeString(
                directory.conf("whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="own"><source>jdbc:sqlite:file://var/whitelist/lists.db</source></whitelist>
                </whitelists>
                """);
        directory.mailetContainer(
                conf ->
                        conf.insert(
                                "root",
                                "All",
                                "io.github.senderwhitelist.mailet.WhitelistByMail",
                                Map.of("list", "own")));
        return directory;
    }

    private void start() throws IOException, InterruptedException {
        start(directory(), null);
    }

    /** Sends a mail through the login of a user. */
    private void send(String from, String subject, String text, String... recipients)
            throws MessagingException {
        Properties properties = new Properties();
        properties.setProperty("mail.smtp.auth", "true");
        Session session = Session.getInstance(properties);
        MimeMessage mail = new MimeMessage(session);
        mail.setFrom(new InternetAddress(from));
        for (String recipient : recipients) {
            mail.addRecipient(RecipientType.TO, new InternetAddress(recipient));
        }
        mail.setSubject(subject);
        mail.setText(text + "\r\n--\r\nSent from my telephone\r\n");
        mail.saveChanges();
        try (Transport smtp = session.getTransport("smtp")) {
            smtp.connect("127.0.0.1", james().smtpPort(), SAM, "secret");
            smtp.sendMessage(mail, mail.getAllRecipients());
        }
    }

    /** Waits for mails of a user, and returns them. */
    private List<Letter> inbox(String user, int count) {
        return await().pollInSameThread()
                .until(() -> james().mails(user, INBOX), mails -> mails.size() >= count);
    }

    @Test
    void usersChangeTheirEntriesByMailAndAreAnswered() throws Exception {
        start();
        assertThatThrownBy(() -> send(SAM, "show", "", ASKED))
                .isInstanceOf(MessagingException.class);
        assertThat(
                        james().webAdmin("PUT", "/address/aliases/" + IVY + "/sources/" + ASKED, "")
                                .statusCode())
                .isEqualTo(204);

        assertThat(
                        james().webAdmin("PUT", "/address/aliases/" + SAM + "/sources/" + SAMMY, "")
                                .statusCode())
                .isEqualTo(204);

        send(SAM, "add Bob@Stranger.example", "", ASKED);
        Letter question = inbox(SAM, 1).getFirst();
        assertThat(question.text())
                .contains("add bob@stranger.example: lists this sender for you")
                .contains("Auto-Submitted: auto-replied")
                .containsPattern("(?m)^From: " + ASKED)
                .containsPattern("(?m)^To: " + SAM)
                .containsPattern("(?m)^In-Reply-To: <.+>");
        assertThat(james().webAdmin("GET", LISTED, "").body()).doesNotContain("stranger");

        String subject = "Re: " + subject(question);
        send("somebody@else.example", subject, "yes", ASKED);
        assertThat(inbox(SAM, 2).getLast().text()).contains("Your mail was not read");
        assertThat(james().webAdmin("GET", LISTED, "").body()).doesNotContain("stranger");

        send(SAMMY, subject, "yes", ASKED, IVY);
        assertThat(inbox(SAM, 3).getLast().text()).contains("add bob@stranger.example: done. ");
        assertThat(james().webAdmin("GET", LISTED, "").body())
                .contains("bob@stranger.example auth=any to=sam@here.example origin=user");
        // The other recipient has it, and the alias does not.
        assertThat(inbox(IVY, 1)).singleElement().asString().contains("Confirm: add bob");
    }

    private static String subject(Letter letter) throws MessagingException {
        return new MimeMessage((Session) null, new ByteArrayInputStream(letter.bytes()))
                .getSubject();
    }

    /** Whoever has not logged in writes to the mailbox of the alias. */
    @Test
    void mailsOfStrangersGoOn() throws Exception {
        start();
        james().webAdmin("PUT", "/address/aliases/" + IVY + "/sources/" + ASKED, "");
        Letter letter = Letter.simple("add mallory@evil.example");
        james().send("alice@example.com", List.of(ASKED), letter);
        assertThat(inbox(IVY, 1)).extracting(Letter::id).containsExactly(letter.id());
        assertThat(james().webAdmin("GET", "/whitelists/own/entries", "").body())
                .doesNotContain("mallory");
        assertThat(james().mails(SAM, INBOX)).isEmpty();
    }
}
