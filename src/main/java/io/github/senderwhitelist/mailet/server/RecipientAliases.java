package io.github.senderwhitelist.mailet.server;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.RecipientUsers;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.mail.internet.AddressException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.Username;
import org.apache.james.domainlist.api.DomainList;
import org.apache.james.domainlist.api.DomainListException;
import org.apache.james.rrt.api.RecipientRewriteTable;
import org.apache.james.rrt.api.RecipientRewriteTable.ErrorMappingException;
import org.apache.james.rrt.api.RecipientRewriteTableException;
import org.apache.james.rrt.lib.Mapping;
import org.apache.james.user.api.UsersRepository;
import org.apache.james.user.api.UsersRepositoryException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The users of recipients, found in the way in which James delivers: the recipient rewrite table,
 * then {@link UsersRepository#getUsername}. Of the table's mappings only aliases, domain aliases
 * and domain mappings are followed. Groups and forwards name other people, so they are not
 * expanded.
 *
 * <p>A recipient belongs to no user, and is compared as written only, when its domain is not one of
 * this server's (the table is not asked then), or when the table leads to an address elsewhere, to
 * several addresses, which is a group in all but name, or in a circle.
 *
 * <p>James 3.9 takes the tag off a recipient ({@code bob+tag} → {@code bob}), James 3.8 has no
 * tags. Without virtual hosting, users have no domain: {@code bob} has that of the address to which
 * the table leads, so an entry for {@code bob@tenant.example} does not count for mail to bob at
 * another domain.
 *
 * <p>Answers are cached for a minute, failures are not. The table may be in a database, so a call
 * can block, as it does when James delivers.
 */
@Singleton
public final class RecipientAliases implements RecipientUsers {
    private static final Duration EXPIRY = Duration.ofMinutes(1);
    private static final long CACHE_SIZE = 10_000;

    private static final EnumSet<Mapping.Type> ALIASES =
            EnumSet.of(Mapping.Type.Alias, Mapping.Type.DomainAlias, Mapping.Type.Domain);

    private static final Logger LOGGER = LoggerFactory.getLogger(RecipientAliases.class);

    private final UsersRepository users;
    private final RecipientRewriteTable table;
    private final DomainList domains;

    /** The users of recipients, if any. Keys can be compared, so equal hash codes do no harm. */
    private final Cache<Key, Optional<Address>> answers;

    @Inject
    public RecipientAliases(
            UsersRepository users, RecipientRewriteTable table, DomainList domains) {
        this(users, table, domains, Ticker.systemTicker());
    }

    /** Takes the clock of a test. */
    RecipientAliases(
            UsersRepository users, RecipientRewriteTable table, DomainList domains, Ticker clock) {
        this.users = users;
        this.table = table;
        this.domains = domains;
        this.answers =
                Caffeine.newBuilder()
                        .maximumSize(CACHE_SIZE)
                        .expireAfterWrite(EXPIRY)
                        .executor(Runnable::run)
                        .ticker(clock)
                        .build();
    }

    /**
     * Returns the address of the user to whom a recipient belongs; null if there is none, or it is
     * the recipient's own.
     *
     * @throws IOException when James fails to answer, whatever it throws
     */
    @Override
    public @Nullable Address userOf(Address recipient) throws IOException {
        Optional<Address> answer = answers.getIfPresent(recipient.key());
        if (answer == null) {
            try {
                answer = Optional.ofNullable(find(recipient));
            } catch (Throwable e) {
                String why = "the server cannot tell to which user %s belongs: %s";
                why = why.formatted(recipient, Text.shown(e.toString()));
                LOGGER.debug("{}", why, e);
                throw new IOException(why, e);
            }
            answers.put(recipient.key(), answer);
        }
        return answer.orElse(null);
    }

    private @Nullable Address find(Address recipient)
            throws DomainListException, RecipientRewriteTableException, UsersRepositoryException {
        MailAddress written = mailAddress(recipient.toString());
        MailAddress destination =
                written == null || !isLocal(written) ? null : destination(written);
        if (destination == null || !isLocal(destination)) {
            return null;
        }
        Username user = users.getUsername(destination).withDefaultDomain(destination.getDomain());
        return AddressSyntax.parse(user.asString()) instanceof Address address
                        && !address.equals(recipient)
                ? address
                : null;
    }

    private boolean isLocal(MailAddress address) throws DomainListException {
        return domains.containsDomain(address.getDomain());
    }

    /** Returns an address as James writes it; null if no user of James can have it. */
    public static @Nullable MailAddress mailAddress(String address) {
        try {
            return Username.of(address).asMailAddress();
        } catch (AddressException | IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the address to which the table's aliases lead, if any; null if to several. */
    private @Nullable MailAddress destination(MailAddress written)
            throws RecipientRewriteTableException {
        try {
            List<MailAddress> mapped =
                    table.getResolvedMappings(written.getLocalPart(), written.getDomain(), ALIASES)
                            .asStream()
                            .map(Mapping::asMailAddress)
                            .flatMap(Optional::stream)
                            .distinct()
                            .toList();
            return mapped.isEmpty() ? written : mapped.size() == 1 ? mapped.getFirst() : null;
        } catch (ErrorMappingException e) {
            LOGGER.debug("The rewrite table leads recipient {} nowhere", written, e);
            return null;
        }
    }
}
