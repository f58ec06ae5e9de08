package io.github.senderwhitelist.mailet;

import jakarta.mail.MessagingException;

import org.apache.mailet.Mail;
import org.apache.mailet.MailetContext;
import org.apache.mailet.base.test.FakeMailContext;
import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Takes mails that mailets send, or refuses them. */
final class Outbox implements InvocationHandler {
    /** Copies of the mails sent. */
    final List<Mail> sent = new ArrayList<>();

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
        if (!method.getName().equals("sendMail")) {
            return method.invoke(server, arguments);
        }
        if (refuses) {
            throw new MessagingException("the spool is full");
        }
        Mail mail = (Mail) arguments[0];
        mail.setState((String) arguments[1]);
        sent.add(mail.duplicate());
        return null;
    }
}
