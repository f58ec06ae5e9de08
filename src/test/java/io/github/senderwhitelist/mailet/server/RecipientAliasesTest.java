package io.github.senderwhitelist.mailet.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.internet.AddressException;

import org.apache.james.UserEntityValidator;
import org.apache.james.core.Domain;
import org.apache.james.dnsservice.api.DNSService;
import org.apache.james.domainlist.lib.DomainListConfiguration;
import org.apache.james.domainlist.memory.MemoryDomainList;
import org.apache.james.rrt.api.RecipientRewriteTableConfiguration;
import org.apache.james.rrt.api.RecipientRewriteTableException;
import org.apache.james.rrt.lib.Mapping;
import org.apache.james.rrt.lib.MappingSource;
import org.apache.james.rrt.lib.Mappings;
import org.apache.james.rrt.memory.MemoryRecipientRewriteTable;
import org.apache.james.user.api.UsersRepository;
import org.apache.james.user.lib.UsersDAO;
import org.apache.james.user.lib.UsersRepositoryImpl;
import org.apache.james.user.memory.MemoryUsersRepository;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

/** Users of recipients, found in the repositories that James keeps in memory. */
class RecipientAliasesTest {
    private static final Domain TENANT = Domain.of("tenant.example");
    private static final Domain OTHER = Domain.of("other.example");
    private static final Domain BRAND = Domain.of("brand.example");

    /** Domains that are configured need no DNS. */
    private static final @Nullable DNSService NO_DNS = null;

    private final MemoryDomainList domains = new MemoryDomainList(NO_DNS);
    private Table table = new Table();
    private long nanos;

    /** James' table, which remembers for whom it was asked, and fails if told to. */
    private static final class Table extends MemoryRecipientRewriteTable {
        final List<String> asked = new ArrayList<>();
        @Nullable Throwable failure;

        @Override
        public Mappings getResolvedMappings(
                String user, Domain domain, EnumSet<Mapping.Type> mappingTypes)
                throws ErrorMappingException, RecipientRewriteTableException {
            asked.add(user + "@" + domain.asString());
            if (failure != null) {
                Table.<RuntimeException>sneak(failure);
            }
            return super.getResolvedMappings(user, domain, mappingTypes);
        }

        /** Throws what the signature does not declare, as James does with checked exceptions. */
        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void sneak(Throwable failure) throws T {
            throw (T) failure;
        }
    }

    @BeforeEach
    void configure() throws Exception {
        domains.configure(
                DomainListConfiguration.builder()
                        .autoDetect(false)
                        .autoDetectIp(false)
                        .defaultDomain(Domain.of("default.example"))
                        .addConfiguredDomains(TENANT, OTHER, BRAND)
                        .build());
        configure(RecipientRewriteTableConfiguration.DEFAULT_ENABLED, virtualHosting());
    }

    private void configure(
            RecipientRewriteTableConfiguration configuration, UsersRepository users) {
        table = new Table();
        table.setConfiguration(configuration);
        table.setDomainList(domains);
        table.setUsersRepository(users);
        table.setUserEntityValidator(UserEntityValidator.NOOP);
    }

    private UsersRepository virtualHosting() {
        return MemoryUsersRepository.withVirtualHosting(domains);
    }

    private RecipientAliases aliases() {
        return aliases(virtualHosting());
    }

    private RecipientAliases aliases(UsersRepository users) {
        return new RecipientAliases(users, table, domains, () -> nanos);
    }

    private static MappingSource from(String local, Domain domain) {
        return MappingSource.fromUser(local, domain);
    }

    private static Address address(String text) {
        return (Address) AddressSyntax.parse(text);
    }

    /** Returns the address of a recipient's user, or "as written". */
    private static String userOf(RecipientAliases aliases, String recipient) throws IOException {
        Address user = aliases.userOf(address(recipient));
        return user == null ? "as written" : user.toString();
    }

    private String userOf(String recipient) throws IOException {
        return userOf(aliases(), recipient);
    }

    @Test
    void shouldAskTheTableForRecipientsOfThisServerOnly() throws Exception {
        assertThat(userOf("bob@foreign.example")).isEqualTo("as written");
        assertThat(userOf("bob@tenant.example")).isEqualTo("as written");
        assertThat(table.asked).containsExactly("bob@tenant.example");
    }

    /** Mappings of the table, and users of recipients by them. */
    @ParameterizedTest(name = "{0}")
    @TableSource
    void shouldFollowTheTable(String name, String mappings, String users) throws Exception {
        for (String mapping : full(mappings).split(", ", -1)) {
            String[] words = mapping.split(" ", 3);
            map(words[0], words[1], words[2]);
        }
        for (String each : full(users).split(", ", -1)) {
            String[] sides = each.split(" = ", 2);
            assertThat(userOf(sides[0])).as(each).isEqualTo(sides[1].replace("-", "as written"));
        }
    }

    private void map(String kind, String from, String to) throws Exception {
        int at = from.indexOf('@');
        Domain domain = Domain.of(from.substring(at + 1));
        MappingSource source =
                at == 0 ? MappingSource.fromDomain(domain) : from(from.substring(0, at), domain);
        switch (kind) {
            case "alias" -> table.addAliasMapping(source, to);
            case "group" -> table.addGroupMapping(source, to);
            case "forward" -> table.addForwardMapping(source, to);
            case "address" -> table.addAddressMapping(source, to);
            case "regex" -> table.addRegexMapping(source, to);
            case "error" -> table.addErrorMapping(source, to);
            case "domain" -> table.addDomainMapping(source, Domain.of(to.substring(1)));
            default -> table.addDomainAliasMapping(source, Domain.of(to.substring(1)));
        }
    }

    /** Returns a text with the names of domains for T, O and B. */
    private static String full(String text) {
        return text.replaceAll("@T\\b", "@tenant.example")
                .replaceAll("@O\\b", "@other.example")
                .replaceAll("@B\\b", "@brand.example");
    }

    /** With {@code recursiveMapping} off, James' table refuses every question. */
    @Test
    void shouldCompareAsWrittenWhenTheTableIsDisabled() throws Exception {
        configure(RecipientRewriteTableConfiguration.DISABLED, virtualHosting());

        assertThat(userOf("bob@tenant.example")).isEqualTo("as written");
    }

    @Test
    void shouldKeepTheDomainOfUsersWithoutOne() throws Exception {
        UsersRepository users = MemoryUsersRepository.withoutVirtualHosting(domains);
        configure(RecipientRewriteTableConfiguration.DEFAULT_ENABLED, users);
        table.addAliasMapping(from("sales", TENANT), "bob@tenant.example");
        RecipientAliases aliases = aliases(users);

        assertThat(userOf(aliases, "bob@tenant.example")).isEqualTo("as written");
        assertThat(userOf(aliases, "sales@tenant.example")).isEqualTo("bob@tenant.example");
        assertThat(userOf(aliases, "bob+tag@tenant.example")).isEqualTo("bob@tenant.example");
        assertThat(userOf(aliases, "bob@other.example")).isEqualTo("as written");
    }

    @ParameterizedTest
    @TableSource
    void shouldCompareOddRecipientsAsWritten(String recipient) throws Exception {
        assertThat(userOf(recipient)).isEqualTo("as written");
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new RecipientRewriteTableException("no\nconnection"),
                new IllegalStateException("no\nconnection"),
                new AddressException("no\nconnection"),
                new NoSuchMethodError("no\nconnection"),
                new StackOverflowError("no\nconnection"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldReportThatTheTableFails(Throwable failure) throws Exception {
        RecipientAliases aliases = aliases();
        table.failure = failure;

        assertThatThrownBy(() -> userOf(aliases, "Bob@tenant.example"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "the server cannot tell to which user bob@tenant.example belongs: "
                                + failure.getClass().getName())
                .hasMessageNotContaining("\n")
                .hasCause(failure);

        table.failure = null;
        table.addAliasMapping(from("bob", TENANT), "carol@tenant.example");
        assertThat(userOf(aliases, "bob@tenant.example")).isEqualTo("carol@tenant.example");
    }

    @Test
    void shouldReportThatTheUsersFail() {
        IllegalStateException failure = new IllegalStateException("no connection");
        UsersRepository broken =
                new UsersRepositoryImpl<UsersDAO>(domains, null) {
                    @Override
                    public boolean supportVirtualHosting() {
                        throw failure;
                    }
                };
        RecipientAliases aliases = aliases(broken);

        assertThatThrownBy(() -> userOf(aliases, "bob@tenant.example"))
                .isInstanceOf(IOException.class)
                .hasCause(failure);
    }

    @Test
    void shouldRememberAnAnswerForAMinute() throws Exception {
        table.addAliasMapping(from("sales", TENANT), "bob@tenant.example");
        RecipientAliases aliases = aliases();
        userOf(aliases, "sales@tenant.example");
        userOf(aliases, "bob@tenant.example");
        table.asked.clear();
        table.removeAliasMapping(from("sales", TENANT), "bob@tenant.example");
        table.addAliasMapping(from("bob", TENANT), "carol@tenant.example");
        table.asked.clear();

        nanos += Duration.ofSeconds(59).toNanos();
        assertThat(userOf(aliases, "Sales@Tenant.example")).isEqualTo("bob@tenant.example");
        assertThat(userOf(aliases, "bob@tenant.example")).isEqualTo("as written");
        assertThat(table.asked).isEmpty();

        nanos += Duration.ofSeconds(1).toNanos();
        assertThat(userOf(aliases, "sales@tenant.example")).isEqualTo("as written");
        assertThat(userOf(aliases, "bob@tenant.example")).isEqualTo("carol@tenant.example");
    }
}
