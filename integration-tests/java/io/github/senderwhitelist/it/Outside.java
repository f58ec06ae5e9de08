package io.github.senderwhitelist.it;

import com.icegreen.greenmail.store.FolderException;
import com.icegreen.greenmail.store.StoredMessage;
import com.icegreen.greenmail.user.GreenMailUser;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;

import jakarta.mail.MessagingException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The mail servers of the rest of the world: a GreenMail that takes everything for everyone. */
final class Outside implements AutoCloseable {
    private final GreenMail greenMail =
            new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));

    Outside() {
        greenMail.start();
    }

    int port() {
        return greenMail.getSmtp().getPort();
    }

    /** All mails for this address so far. */
    List<Letter> mails(String address) throws IOException {
        List<Letter> letters = new ArrayList<>();
        GreenMailUser user = greenMail.getUserManager().getUserByEmail(address);
        if (user == null) {
            return letters;
        }
        try {
            for (StoredMessage message :
                    greenMail.getManagers().getImapHostManager().getInbox(user).getMessages()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                message.getMimeMessage().writeTo(bytes);
                letters.add(Letter.read(bytes.toByteArray()));
            }
        } catch (FolderException | MessagingException e) {
            throw new IOException(e);
        }
        return letters;
    }

    @Override
    public void close() {
        greenMail.stop();
    }
}
