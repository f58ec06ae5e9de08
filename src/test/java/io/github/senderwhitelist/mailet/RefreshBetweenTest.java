package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.refresh.FileList;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Mails that are judged while their list is replaced: by the old one or the new one. */
class RefreshBetweenTest {
    @RegisterExtension final TestServer server = new TestServer();

    /** Replaces the list and waits until the new one is active. */
    private void replace(String list) {
        try {
            server.write("list.txt", list);
            FileList open = server.shared.files().values().iterator().next();
            assertThat(open.reload().problem()).isNull();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String reason(MailAddress recipient) throws MessagingException {
        SenderWhitelist mailet = server.mailet("file://list.txt", "sender", "envelope");
        FakeMail mail =
                TestServer.mail(
                        "news@partner.example",
                        TestServer.message("From: news@partner.example\r\n\r\n"));
        mail.setRecipients(List.of(recipient));
        mailet.service(mail);
        return TestServer.marked(mail, "reason");
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
        server.write("list.txt", "bob@example.com\n");
        String both = "@partner.example\n!news@partner.example to=me@here.example origin=user\n";

        assertThat(reason(new ReadAddress("me@here.example", () -> replace(both))))
                .isEqualTo("denied");
    }
}
