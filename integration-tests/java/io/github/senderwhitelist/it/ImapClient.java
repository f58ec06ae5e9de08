package io.github.senderwhitelist.it;

import jakarta.mail.Flags;
import jakarta.mail.Folder;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Store;
import jakarta.mail.UIDFolder;

import org.eclipse.angus.mail.iap.BadCommandException;
import org.eclipse.angus.mail.imap.IMAPFolder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/** The folders of a user over IMAP, and their mails byte by byte. */
final class ImapClient implements AutoCloseable {
    private final Store store;

    /** What is done with some mails of a folder. */
    interface Action {
        void with(IMAPFolder folder, Message[] mails) throws MessagingException;
    }

    ImapClient(int port, String user, String password) throws IOException {
        Properties properties = new Properties();
        // Reading changes no flag, and takes one answer a mail.
        properties.setProperty("mail.imap.peek", "true");
        properties.setProperty("mail.imap.partialfetch", "false");
        try {
            store = Session.getInstance(properties).getStore("imap");
            store.connect("127.0.0.1", port, user, password);
        } catch (MessagingException e) {
            throw new IOException(e);
        }
    }

    /**
     * Returns the mails of the folder with a UID over {@code after} by their UIDs; none when there
     * is no such folder (yet).
     */
    SortedMap<Long, Letter> fetch(String name, long after) throws IOException {
        SortedMap<Long, Letter> fetched = new TreeMap<>();
        try {
            if (!store.getFolder(name).exists()) {
                return fetched;
            }
            try (IMAPFolder folder = open(name, Folder.READ_ONLY)) {
                // James refuses to be asked for all of nothing.
                int count = folder.getMessageCount();
                for (Message mail :
                        count == 0
                                ? new Message[0]
                                : folder.getMessagesByUID(after + 1, UIDFolder.LASTUID)) {
                    // "7:*" also names the last mail when that is number 6 (RFC 3501, 6.4.8).
                    if (folder.getUID(mail) > after) {
                        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                        mail.writeTo(bytes);
                        fetched.put(folder.getUID(mail), Letter.read(bytes.toByteArray()));
                    }
                }
            }
            return fetched;
        } catch (MessagingException e) {
            if (e.getNextException() instanceof BadCommandException) {
                // James counts a mail a moment before it knows it by a number; ask again.
                return fetched;
            }
            throw new IOException(e);
        }
    }

    /** Returns the UID of a mail, which lies in this folder. */
    long uid(String name, Letter letter) throws IOException {
        return fetch(name, 0).entrySet().stream()
                .filter(mail -> mail.getValue().id().equals(letter.id()))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private IMAPFolder open(String name, int mode) throws MessagingException {
        IMAPFolder folder = (IMAPFolder) store.getFolder(name);
        folder.open(mode);
        return folder;
    }

    void move(String name, String to, long... uids) throws IOException {
        with(name, (folder, mails) -> folder.moveMessages(mails, store.getFolder(to)), uids);
    }

    void copy(String name, String to, long... uids) throws IOException {
        with(name, (folder, mails) -> folder.copyMessages(mails, store.getFolder(to)), uids);
    }

    void unmark(String name, String flag, long... uids) throws IOException {
        with(name, (folder, mails) -> folder.setFlags(mails, new Flags(flag), false), uids);
    }

    private void with(String name, Action action, long... uids) throws IOException {
        try (IMAPFolder folder = open(name, Folder.READ_WRITE)) {
            action.with(folder, folder.getMessagesByUID(uids));
        } catch (MessagingException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            store.close();
        } catch (MessagingException e) {
            throw new IOException(e);
        }
    }
}
