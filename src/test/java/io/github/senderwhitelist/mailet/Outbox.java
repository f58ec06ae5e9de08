package io.github.senderwhitelist.mailet;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Domain;
import org.apache.mailet.Mail;
import org.apache.mailet.MailetContext;
import org.apache.mailet.base.test.FakeMailContext;
import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Takes mails that mailets send, or refuses them. */
final class Outbox implements InvocationHandler {
    /** Copies of the mails sent. */
    final List<Mail> sent = new ArrayList<>();

    /** The messages that the server sends itself. */
    final List<MimeMessage> messages = Collections.synchronizedList(new ArrayList<>());

    boolean refuses;

    private final MailetContext server = FakeMailContext.defaultContext();

    /** Returns the server's context as mailets see it. */
    MailetContext context() {
        return (MailetContext)
                Proxy.newProxyInstance(
                        Outbox.class.getClassLoader(), new Class<?>[] {MailetContext.class}, this);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object[] arguments)
            throws ReflectiveOperationException, MessagingException {
        if (method.getName().equals("isLocalServer")) {
            return Domain.of("here.example").equals(arguments[0]);
        }
        if (!method.getName().equals("sendMail")) {
            return method.invoke(server, arguments);
        }
        if (refuses) {
            throw new MessagingException("the spool is full");
        }
        if (!(arguments[0] instanceof Mail mail)) {
            messages.add((MimeMessage) arguments[2]);
            return null;
        }
        mail.setState((String) arguments[1]);
        sent.add(mail.duplicate());
        return null;
    }
}
