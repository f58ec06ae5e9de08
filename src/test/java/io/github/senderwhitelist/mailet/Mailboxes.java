package io.github.senderwhitelist.mailet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.apache.james.core.Username;
import org.apache.james.events.Event;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MailboxSession;
import org.apache.james.mailbox.MailboxSession.SessionId;
import org.apache.james.mailbox.MailboxSession.SessionType;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.MessageManager;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.exception.MailboxNotFoundException;
import org.apache.james.mailbox.model.Headers;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MailboxPath;
import org.apache.james.mailbox.model.MessageId;
import org.apache.james.mailbox.model.MessageMoves;
import org.apache.james.mailbox.model.MessageResult;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The mailboxes of a James, as far as a listener sees them: mails lie in folders, and what is done
 * with them makes events. The real ones of James 3.9 cannot be had; the integration tests have
 * those of James 3.8.
 */
final class Mailboxes {
    private static final char DELIMITER = '.';

    private final Map<Folder, MailboxPath> folders = new HashMap<>();
    private final List<Lying> lying = new ArrayList<>();
    private final Map<Mail, String> mails = new HashMap<>();

    /** Why James cannot read anything, or null. */
    @Nullable Exception failure;

    /** How often mails were read. */
    final AtomicInteger read = new AtomicInteger();

    /** How often mails cannot be read. */
    int failsToRead;

    record Folder(int number) implements MailboxId {
        @Override
        public String serialize() {
            return Integer.toString(number);
        }
    }

    record Mail(int number) implements MessageId {
        @Override
        public String serialize() {
            return Integer.toString(number);
        }

        @Override
        public boolean isSerializable() {
            return true;
        }
    }

    private record Lying(Mail mail, Folder folder) {}

    /** Returns a folder of a user, which is made when it is missing. */
    Folder folder(String user, String name) {
        MailboxPath path = MailboxPath.forUser(Username.of(user), name);
        for (Map.Entry<Folder, MailboxPath> each : folders.entrySet()) {
            if (each.getValue().equals(path)) {
                return each.getKey();
            }
        }
        Folder folder = new Folder(folders.size());
        folders.put(folder, path);
        return folder;
    }

    void rename(String user, String from, String to) {
        folders.put(folder(user, from), MailboxPath.forUser(Username.of(user), to));
    }

    void deleteFolder(Folder folder) {
        folders.remove(folder);
    }

    /** Puts a new mail with this header into a folder, without an event. */
    Mail put(Folder folder, String header) {
        Mail mail = new Mail(mails.size());
        mails.put(mail, header);
        lying.add(new Lying(mail, folder));
        return mail;
    }

    void delete(Mail mail) {
        lying.removeIf(each -> each.mail.equals(mail));
    }

    /** Moves mails, and returns the event. */
    Event move(String user, Folder from, Folder to, List<Mail> moved) {
        Event event = moving(user, from, List.of(to), moved);
        for (Mail mail : moved) {
            lying.remove(new Lying(mail, from));
            lying.add(new Lying(mail, to));
        }
        return event;
    }

    /** Copies mails as IMAP's COPY does, and returns the event. */
    Event copy(String user, Folder from, Folder to, List<Mail> copied) {
        for (Mail mail : copied) {
            lying.add(new Lying(mail, to));
        }
        return moving(user, from, List.of(to, from), copied);
    }

    private static Event moving(String user, Folder from, List<MailboxId> to, List<Mail> moved) {
        return MessageMoveEvent.builder()
                .user(Username.of(user))
                .messageMoves(
                        MessageMoves.builder()
                                .previousMailboxIds(from)
                                .targetMailboxIds(to)
                                .build())
                .messageId(List.<MessageId>copyOf(moved))
                .build();
    }

    MailboxManager manager() {
        return proxy(
                MailboxManager.class,
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "createSystemSession" -> session((Username) arguments[0]);
                            case "getMailbox" -> mailbox((MailboxId) arguments[0]);
                            case "startProcessingRequest", "endProcessingRequest" -> null;
                            default -> throw new UnsupportedOperationException(method.toString());
                        });
    }

    private static MailboxSession session(Username user) {
        return new MailboxSession(
                SessionId.of(1), user, Optional.of(user), List.of(), DELIMITER, SessionType.System);
    }

    private MessageManager mailbox(MailboxId id) throws Exception {
        fail();
        MailboxPath path = folders.get((Folder) id);
        if (path == null) {
            throw new MailboxNotFoundException(id);
        }
        return proxy(MessageManager.class, (proxy, method, arguments) -> path);
    }

    MessageIdManager messages() {
        return proxy(
                MessageIdManager.class,
                (proxy, method, arguments) -> {
                    int reading = read.incrementAndGet();
                    fail();
                    if (reading <= failsToRead) {
                        throw new IllegalStateException("the driver of the storage fails");
                    }
                    Collection<?> ids = (Collection<?>) arguments[0];
                    return lying.stream()
                            .filter(each -> ids.contains(each.mail))
                            .map(this::result)
                            .toList();
                });
    }

    private void fail() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }

    private MessageResult result(Lying found) {
        String header = Objects.requireNonNull(mails.get(found.mail));
        return proxy(
                MessageResult.class,
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "getMessageId" -> found.mail;
                            case "getMailboxId" -> found.folder;
                            case "getHeaders" -> headers(header);
                            default -> throw new UnsupportedOperationException(method.toString());
                        });
    }

    private static Headers headers(String header) {
        return proxy(
                Headers.class,
                (proxy, method, arguments) ->
                        new ByteArrayInputStream(header.getBytes(ISO_8859_1)));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns what James throws when its storage fails. */
    static Exception down() {
        return new MailboxException("the storage is down");
    }
}
