package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.whitelist.ListInForce;
import io.github.senderwhitelist.whitelist.ListSettings;
import io.github.senderwhitelist.whitelist.Verdict;
import io.github.senderwhitelist.whitelist.Verdict.Listed;
import io.github.senderwhitelist.whitelist.Verdict.NotListed;
import io.github.senderwhitelist.whitelist.Verdict.Unavailable;
import io.github.senderwhitelist.whitelist.Whitelist;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What mailet and matcher share: the question to the lists for the sender of a mail, and the
 * attributes that tell the answer. Never throws and never blocks for a refresh.
 */
final class SenderCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderWhitelist.class);
    private static final AttributeName VERDICT =
            AttributeName.of("io.github.senderwhitelist.verdict");
    private static final AttributeName ENTRY = AttributeName.of("io.github.senderwhitelist.entry");

    private final SharedLists shared;
    private final List<ListSettings> acquired;
    private final Whitelist whitelist;
    private final boolean listedOnFailure;

    private SenderCheck(
            SharedLists shared,
            List<ListSettings> acquired,
            Whitelist whitelist,
            boolean listedOnFailure) {
        this.shared = shared;
        this.acquired = acquired;
        this.whitelist = whitelist;
        this.listedOnFailure = listedOnFailure;
    }

    /**
     * Loads the lists that the parameters name.
     *
     * @throws MessagingException when a parameter is wrong or a list cannot be loaded
     */
    static SenderCheck open(String owner, Parameters parameters, SharedLists shared)
            throws MessagingException {
        List<ListSettings> settings = parameters.lists();
        var subaddressing = parameters.subaddressing();
        boolean listedOnFailure = parameters.listedOnLookupFailure();
        List<ListSettings> acquired = new ArrayList<>();
        List<ListInForce> lists = new ArrayList<>();
        try {
            for (ListSettings list : settings) {
                lists.add(shared.acquire(list, subaddressing));
                acquired.add(list);
            }
        } catch (IOException e) {
            release(shared, acquired);
            throw new MessagingException(
                    owner + ": parameter " + Parameters.WHITELIST + ": " + e.getMessage(), e);
        }
        return new SenderCheck(
                shared, acquired, new Whitelist(lists, subaddressing), listedOnFailure);
    }

    /** Whether to treat the sender as listed; the mail's attributes say what was found. */
    boolean isListed(Mail mail) {
        Verdict verdict = verdict(mail);
        shared.metrics().count(verdict);
        String entry = null;
        String name;
        boolean listed;
        switch (verdict) {
            case Listed(var match) -> {
                name = "listed";
                entry = match.toString();
                listed = true;
            }
            case NotListed(var denial) -> {
                name = "not-listed";
                entry = denial == null ? null : denial.toString();
                listed = false;
            }
            case Unavailable(var cause) -> {
                name = "unavailable";
                listed = listedOnFailure;
                LOGGER.warn(
                        "The whitelist could not tell for mail {}: {}. It is treated as {}",
                        mail.getName(),
                        cause.getMessage(),
                        listed ? "listed" : "not listed");
            }
        }
        mark(mail, name, entry);
        LOGGER.debug(
                "mail={} sender={} verdict={} entry={}",
                mail.getName(),
                Text.shown(mail.getMaybeSender().asPrettyString()),
                name,
                entry == null ? "-" : entry);
        return listed;
    }

    private static void mark(Mail mail, String verdict, @Nullable String entry) {
        mail.setAttribute(new Attribute(VERDICT, AttributeValue.of(verdict)));
        if (entry == null) {
            mail.removeAttribute(ENTRY);
        } else {
            mail.setAttribute(new Attribute(ENTRY, AttributeValue.of(entry)));
        }
    }

    private Verdict verdict(Mail mail) {
        Optional<MailAddress> sender = mail.getMaybeSender().asOptional();
        if (sender.isEmpty()) {
            return NotListed.STRANGER;
        }
        try {
            return switch (AddressSyntax.parse(sender.get().asString())) {
                case WellFormed(var address) -> whitelist.check(address);
                case Malformed(String reason) -> {
                    LOGGER.debug(
                            "mail={}: its sender is no address any list could hold: {}",
                            mail.getName(),
                            reason);
                    yield NotListed.STRANGER;
                }
            };
        } catch (RuntimeException e) {
            LOGGER.error("Error in the whitelist, please report it", e);
            return new Unavailable(new IOException("error in the whitelist: " + e, e));
        }
    }

    /** Lets go of the lists. */
    void close() {
        release(shared, acquired);
    }

    private static void release(SharedLists shared, List<ListSettings> acquired) {
        for (ListSettings settings : acquired) {
            try {
                shared.release(settings);
            } catch (IOException e) {
                LOGGER.warn("Whitelist {} could not be closed", settings.file(), e);
            }
        }
    }
}
