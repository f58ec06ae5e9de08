package io.github.senderwhitelist.it.james39;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.queue.api.MailQueue;
import org.apache.james.queue.api.MailQueueFactory;
import org.apache.james.queue.api.MailQueueName;
import org.apache.james.server.core.MailImpl;
import org.apache.mailet.Mail;
import org.reactivestreams.Publisher;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Mail queues in memory, first in, first out. Every mail is copied, and delays are ignored. */
final class Spools implements MailQueueFactory<MailQueue> {
    private final Map<MailQueueName, Spool> queues = new ConcurrentHashMap<>();

    @Override
    public Optional<MailQueue> getQueue(MailQueueName name, PrefetchCount count) {
        return Optional.ofNullable(queues.get(name));
    }

    @Override
    public MailQueue createQueue(MailQueueName name, PrefetchCount count) {
        return queues.computeIfAbsent(name, Spool::new);
    }

    @Override
    public Set<MailQueueName> listCreatedMailQueues() {
        return Set.copyOf(queues.keySet());
    }

    private static final class Spool implements MailQueue {
        private final MailQueueName name;
        private final BlockingQueue<Mail> mails = new LinkedBlockingQueue<>();

        Spool(MailQueueName name) {
            this.name = name;
        }

        @Override
        public MailQueueName getName() {
            return name;
        }

        @Override
        public void enQueue(Mail mail, Duration delay) throws MailQueueException {
            enQueue(mail);
        }

        @Override
        public void enQueue(Mail mail) throws MailQueueException {
            try {
                MailImpl copy = MailImpl.duplicateWithoutMessage(mail).build();
                copy.setName(mail.getName());
                copy.setState(mail.getState());
                copy.setMessage(new MimeMessage(mail.getMessage()));
                mails.add(copy);
            } catch (MessagingException e) {
                throw new MailQueueException("no copy of " + mail.getName(), e);
            }
        }

        @Override
        public Publisher<Void> enqueueReactive(Mail mail) {
            return Mono.fromCallable(
                            () -> {
                                enQueue(mail);
                                return mail;
                            })
                    .then();
        }

        @Override
        public Publisher<MailQueueItem> deQueue() {
            return Flux.<MailQueueItem>generate(
                            sink -> {
                                try {
                                    sink.next(new Item(mails.take()));
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                    sink.complete();
                                }
                            })
                    .subscribeOn(Schedulers.newSingle("spool", true));
        }

        @Override
        public void close() {
            mails.clear();
        }

        private final class Item implements MailQueueItem {
            private final Mail mail;

            Item(Mail mail) {
                this.mail = mail;
            }

            @Override
            public Mail getMail() {
                return mail;
            }

            @Override
            public void done(CompletionStatus status) throws MailQueueException {
                if (status == CompletionStatus.RETRY) {
                    enQueue(mail);
                }
            }
        }
    }
}
