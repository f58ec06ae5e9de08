package io.github.senderwhitelist.mailet.mail;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.mailet.SenderCheck;
import io.github.senderwhitelist.mailet.SenderIsWhitelisted;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestFiles;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.mailet.WhitelistHealthCheck;
import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.MessagingException;

import org.apache.james.core.healthcheck.ResultStatus;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import reactor.core.publisher.Mono;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Health when nothing looks for SPF and DKIM. */
class MissingResultsTest {
    private static final Attribute SPF_NONE =
            new Attribute(
                    AttributeName.of("org.apache.james.transport.mailets.spf.result"),
                    AttributeValue.of("none"));

    @TempDir Path folder;
    private final SharedLists shared = TestLists.defined("<whitelists/>");

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    @BeforeEach
    void start() throws IOException, MessagingException {
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.writeString(
                conf.resolve("list.txt"), "bob@stranger.example auth=any\neve@stranger.example\n");
        whitelist = new SenderWhitelist(new TestFiles(folder), shared);
        whitelist.init(
                FakeMailetConfig.builder()
                        .setProperty("whitelist", "file://conf/list.txt")
                        .build());
    }

    @AfterEach
    void stop() {
        whitelist.destroy();
    }

    private void receive(int mails, String sender, Attribute... attributes)
            throws MessagingException {
        for (int i = 0; i < mails; i++) {
            FakeMail.Builder mail =
                    FakeMail.builder().name("m").sender(sender).recipient("sam@here.example");
            for (Attribute attribute : attributes) {
                mail.attribute(attribute);
            }
            whitelist.service(mail.build());
        }
    }

    private ResultStatus health() {
        return Objects.requireNonNull(Mono.from(new WhitelistHealthCheck(shared).check()).block())
                .getStatus();
    }

    @Test
    void shouldReportAfterAHundredMailsWithoutAnyResult() throws Exception {
        receive(99, "bob@stranger.example");
        assertThat(health()).isEqualTo(ResultStatus.HEALTHY);
        receive(1, "bob@stranger.example");
        assertThat(health()).isEqualTo(ResultStatus.DEGRADED);
        assertThat(shared.problems())
                .singleElement()
                .asString()
                .contains("class=\"SPF\"", "DKIMVerify", "before the whitelist")
                .doesNotContain("\n");
        receive(1, "bob@stranger.example", SPF_NONE);
        assertThat(health()).isEqualTo(ResultStatus.HEALTHY);
    }

    @Test
    void shouldNotCountMailsWithAResultNorOthers() throws Exception {
        receive(99, "bob@stranger.example");
        receive(200, "x@stranger.example");
        receive(200, "eve@stranger.example");
        receive(
                200,
                "bob@stranger.example",
                new Attribute(Mail.SMTP_AUTH_USER, AttributeValue.of("sam@here.example")));
        assertThat(health()).isEqualTo(ResultStatus.HEALTHY);
    }

    /** The list must not wait for a hundred mails when the configuration shows it. */
    @ParameterizedTest
    @CsvSource({
        "none, Other, false",
        "spf, Other, true",
        "dkim, Other, true",
        "any, Other, true",
        "any, SPF, false"
    })
    void shouldWarnAtTheStartIfNothingConfirmsSendersThoughTheMatcherWantsIt(
            String required, String mailet, boolean warns) throws Exception {
        String pipeline =
                "<mailetcontainer><processors><processor><mailet class='"
                        + mailet
                        + "'/></processor></processors></mailetcontainer>";
        SenderIsWhitelisted matcher =
                new SenderIsWhitelisted(
                        new TestFiles(folder), TestLists.defined("<whitelists/>", () -> pipeline));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(SenderCheck.class);
        logger.addAppender(log);
        try {
            TestLists.init(matcher, "file://conf/list.txt;requireAuthentication=" + required);
        } finally {
            logger.detachAppender(log);
            matcher.destroy();
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(
                        line ->
                                line.startsWith(
                                        "SenderIsWhitelisted: in mailetcontainer.xml neither SPF"
                                                + " nor DKIMVerify stands before the whitelist"))
                .hasSize(warns ? 1 : 0);
    }
}
