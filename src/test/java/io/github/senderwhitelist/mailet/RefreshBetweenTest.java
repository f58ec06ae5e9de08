package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.AttributeName;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Mails that are judged while their list is replaced: by the old one or the new one. */
class RefreshBetweenTest {
    @TempDir Path folder;
    private final SharedLists shared = TestLists.none();

    private void write(String list) throws IOException {
        Files.writeString(folder.resolve("list.txt"), list);
    }

    /** Replaces the list and waits until the new one is active. */
    private void replace(String list) {
        try {
            write(list);
            FileList open = shared.files().values().iterator().next();
            assertThat(open.reload().problem()).isNull();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String reason(MailAddress recipient) throws MessagingException {
        SenderWhitelist mailet = new SenderWhitelist(new TestFiles(folder), shared);
        mailet.init(
                FakeMailetConfig.builder()
                        .setProperty("whitelist", "file://list.txt")
                        .setProperty("sender", "envelope")
                        .build());
        try {
            FakeMail mail =
                    FakeMail.builder()
                            .name("mail")
                            .sender("news@partner.example")
                            .mimeMessage(
                                    MimeMessageBuilder.mimeMessageBuilder()
                                            .addHeader("From", "news@partner.example"))
                            .build();
            mail.setRecipients(List.of(recipient));
            mailet.service(mail);
            return mail.getAttribute(AttributeName.of("io.github.senderwhitelist.reason"))
                    .map(attribute -> (String) attribute.getValue().value())
                    .orElse("-");
        } finally {
            mailet.destroy();
        }
    }

    /** Calls something when it is read. */
    private static final class ReadAddress extends MailAddress {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // nobody serialises it
        private final Runnable whenRead;

        private boolean wasRead;

        ReadAddress(String address, Runnable whenRead) throws AddressException {
            super(address);
            this.whenRead = whenRead;
        }

        @Override
        public String asString() {
            if (!wasRead) {
                wasRead = true;
                whenRead.run();
            }
            return super.asString();
        }
    }

    /** Until then, the header From: is of no use. */
    @Test
    void shouldCompareTheFirstDenialOfAUserThatComesMeanwhile() throws Exception {
        write("bob@example.com\n");
        String both = "@partner.example\n!news@partner.example to=me@here.example origin=user\n";

        assertThat(reason(new ReadAddress("me@here.example", () -> replace(both))))
                .isEqualTo("denied");
    }
}
