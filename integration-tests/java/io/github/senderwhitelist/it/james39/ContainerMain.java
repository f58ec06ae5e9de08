package io.github.senderwhitelist.it.james39;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;

import org.apache.commons.configuration2.BaseHierarchicalConfiguration;
import org.apache.james.UserEntityValidator;
import org.apache.james.core.Domain;
import org.apache.james.core.Username;
import org.apache.james.dnsservice.api.DNSService;
import org.apache.james.domainlist.api.DomainList;
import org.apache.james.domainlist.lib.DomainListConfiguration;
import org.apache.james.domainlist.memory.MemoryDomainList;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.james.mailrepository.api.MailRepositoryStore;
import org.apache.james.mailrepository.api.Protocol;
import org.apache.james.mailrepository.memory.MailRepositoryStoreConfiguration;
import org.apache.james.mailrepository.memory.MemoryMailRepository;
import org.apache.james.mailrepository.memory.MemoryMailRepositoryStore;
import org.apache.james.mailrepository.memory.MemoryMailRepositoryUrlStore;
import org.apache.james.mailrepository.memory.SimpleMailRepositoryLoader;
import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.MetricFactory;
import org.apache.james.modules.server.MailetContainerModule;
import org.apache.james.queue.api.MailQueueFactory;
import org.apache.james.rrt.api.RecipientRewriteTable;
import org.apache.james.rrt.api.RecipientRewriteTableConfiguration;
import org.apache.james.rrt.lib.MappingSource;
import org.apache.james.rrt.memory.MemoryRecipientRewriteTable;
import org.apache.james.server.core.configuration.Configuration;
import org.apache.james.server.core.configuration.ConfigurationProvider;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.apache.james.server.core.filesystem.FileSystemImpl;
import org.apache.james.user.api.UsersRepository;
import org.apache.james.user.memory.MemoryUsersRepository;
import org.apache.james.utils.ExtensionModule;
import org.apache.james.utils.GuiceLoader;
import org.apache.james.utils.InitializationOperation;
import org.apache.james.utils.PropertiesProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Set;

/**
 * Runs the real mailet container of James 3.9: the spooler, the processors, the loader of
 * extensions, as the server's own modules set them up. What the server has around it and Maven
 * Central has not (SMTP, queue) is replaced by the classes beside this one.
 *
 * <p>Like the server it ends with exit code 1 when the configuration is refused.
 */
public final class ContainerMain {
    private static final Logger LOGGER = LoggerFactory.getLogger(ContainerMain.class);

    private ContainerMain() {}

    public static void main(String[] args) {
        try {
            run();
        } catch (Exception e) {
            LOGGER.error("James does not start", e);
            System.exit(1);
        }
    }

    private static void run() throws Exception {
        Configuration.Basic configuration =
                Configuration.builder().useWorkingDirectoryEnvProperty().build();
        FileSystem fileSystem = new FileSystemImpl(configuration.directories());
        StatusPage status = new StatusPage();
        Injector injector =
                Guice.createInjector(
                        new MailetContainerModule(),
                        new ExtensionModule(),
                        new Surroundings(fileSystem, configuration, status));
        for (InitializationOperation operation :
                injector.getInstance(Key.get(new TypeLiteral<Set<InitializationOperation>>() {}))) {
            operation.initModule();
        }
        int statusPort =
                status.open(
                        injector.getInstance(GuiceLoader.class),
                        injector.getInstance(PropertiesProvider.class));
        LOGGER.info("Health and metrics at port {}", statusPort);
        int port = FrontDoor.open(injector.getInstance(Spools.class));
        LOGGER.info("James 3.9 mailet container started, SMTP port {}", port);
    }

    /** What the modules of the mailet container expect the rest of a server to bind. */
    private static final class Surroundings extends AbstractModule {
        private final FileSystem fileSystem;
        private final Configuration configuration;
        private final StatusPage status;

        Surroundings(FileSystem fileSystem, Configuration configuration, StatusPage status) {
            this.status = status;
            this.fileSystem = fileSystem;
            this.configuration = configuration;
        }

        @Override
        protected void configure() {
            Spools spools = new Spools();
            bind(FileSystem.class).toInstance(fileSystem);
            bind(ConfigurationProvider.class)
                    .toInstance(new FileConfigurationProvider(fileSystem, configuration));
            bind(PropertiesProvider.class)
                    .toInstance(
                            new PropertiesProvider(fileSystem, configuration.configurationPath()));
            bind(MetricFactory.class).toInstance(status.metrics());
            bind(GaugeRegistry.class).toInstance(status);
            bind(Spools.class).toInstance(spools);
            bind(new TypeLiteral<MailQueueFactory<?>>() {}).toInstance(spools);
            bind(MailetContainerModule.DefaultProcessorsConfigurationSupplier.class)
                    .toInstance(BaseHierarchicalConfiguration::new);
            try {
                DNSService dns = new NoDns();
                MemoryDomainList domains = new MemoryDomainList(dns);
                domains.configure(
                        DomainListConfiguration.builder()
                                .autoDetect(false)
                                .autoDetectIp(false)
                                .addConfiguredDomain(Domain.of("here.example"))
                                .addConfiguredDomain(Domain.of("other.example"))
                                .build());
                MemoryUsersRepository users = MemoryUsersRepository.withVirtualHosting(domains);
                for (String user : List.of("sam", "ivy", "eve", "lee", "ann", "joe")) {
                    users.addUser(Username.of(user + "@here.example"), "secret");
                }
                MemoryRecipientRewriteTable rewriteTable = new MemoryRecipientRewriteTable();
                rewriteTable.setConfiguration(RecipientRewriteTableConfiguration.DEFAULT_ENABLED);
                rewriteTable.setDomainList(domains);
                rewriteTable.setUsersRepository(users);
                rewriteTable.addAliasMapping(
                        MappingSource.parse("i.vy@here.example"), "ivy@here.example");
                rewriteTable.addGroupMapping(
                        MappingSource.parse("lee+shop@here.example"), "lee@here.example");
                rewriteTable.addDomainAliasMapping(
                        MappingSource.fromDomain(Domain.of("other.example")),
                        Domain.of("here.example"));
                MemoryMailRepositoryStore repositories =
                        new MemoryMailRepositoryStore(
                                new MemoryMailRepositoryUrlStore(),
                                new SimpleMailRepositoryLoader(),
                                MailRepositoryStoreConfiguration.forItems(
                                        new MailRepositoryStoreConfiguration.Item(
                                                List.of(new Protocol("memory")),
                                                MemoryMailRepository.class.getName(),
                                                new BaseHierarchicalConfiguration())));
                repositories.init();
                bind(UserEntityValidator.class).toInstance(UserEntityValidator.NOOP);
                bind(DNSService.class).toInstance(dns);
                bind(DomainList.class).toInstance(domains);
                bind(UsersRepository.class).toInstance(users);
                bind(RecipientRewriteTable.class).toInstance(rewriteTable);
                bind(MailRepositoryStore.class).toInstance(repositories);
            } catch (Exception e) {
                addError(e);
            }
        }
    }
}
