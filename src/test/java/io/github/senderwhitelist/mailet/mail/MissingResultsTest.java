package io.github.senderwhitelist.mailet.mail;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.mailet.SenderCheck;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.WhitelistHealthCheck;

import jakarta.mail.MessagingException;

import org.apache.james.core.healthcheck.ResultStatus;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import reactor.core.publisher.Mono;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** Health when nothing looks for SPF and DKIM. */
class MissingResultsTest {
    private static final Attribute SPF_NONE =
            new Attribute(
                    AttributeName.of("org.apache.james.transport.mailets.spf.result"),
                    AttributeValue.of("none"));

    @RegisterExtension final TestServer server = new TestServer();

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    @BeforeEach
    void start() throws IOException, MessagingException {
        server.write("conf/list.txt", "bob@stranger.example auth=any\neve@stranger.example\n");
        whitelist = server.mailet("file://conf/list.txt");
    }

    private void receive(int mails, String sender, Attribute... attributes)
            throws MessagingException {
        for (int i = 0; i < mails; i++) {
            FakeMail mail = TestServer.mail(sender, "sam@here.example");
            List.of(attributes).forEach(mail::setAttribute);
            whitelist.service(mail);
        }
    }

    private ResultStatus health() {
        return Objects.requireNonNull(
                        Mono.from(new WhitelistHealthCheck(server.shared).check()).block())
                .getStatus();
    }

    @Test
    void shouldReportAfterAHundredMailsWithoutAnyResult() throws Exception {
        receive(99, "bob@stranger.example");
        assertThat(health()).isEqualTo(ResultStatus.HEALTHY);
        receive(1, "bob@stranger.example");
        assertThat(health()).isEqualTo(ResultStatus.DEGRADED);
        assertThat(server.shared.problems())
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
        receive(200, "bob@stranger.example", TestServer.user("sam@here.example"));
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
        server.pipeline =
                "<mailetcontainer><processors><processor><mailet class='"
                        + mailet
                        + "'/></processor></processors></mailetcontainer>";
        List<String> log = server.logged(SenderCheck.class, Level.WARN);
        server.matcher("file://conf/list.txt;requireAuthentication=" + required);
        assertThat(log)
                .filteredOn(
                        line ->
                                line.startsWith(
                                        "SenderIsWhitelisted: in mailetcontainer.xml neither SPF"
                                                + " nor DKIMVerify stands before the whitelist"))
                .hasSize(warns ? 1 : 0);
    }
}
