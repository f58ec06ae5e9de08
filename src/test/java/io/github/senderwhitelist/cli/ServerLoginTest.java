package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.WebAdmin;
import io.jsonwebtoken.Jwts;

import org.apache.james.jwt.JwtTokenVerifier;
import org.apache.james.webadmin.authentication.JwtFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import spark.Filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.List;

/**
 * Logs in to WebAdmin: to the filter of tokens of James 3.8.1, and to a stand-in for the filter of
 * passwords of James 3.9.0 and 3.10.
 */
class ServerLoginTest extends CommandTest {
    private static final String PASSWORD = "s3cret, with a blank";
    private static final String READ_ONLY = "for-reading";
    private static final String NO_DELETE = "for-putting";

    private WebAdmin server(Filter login) {
        WebAdmin server = new WebAdmin(login);
        server.open("own");
        return server;
    }

    private int run(WebAdmin server, List<String> login, String... command) {
        out.reset();
        err.reset();
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("--list=own", "--server=http://127.0.0.1:" + server.port()));
        line.addAll(login);
        int exit = Main.run(out, line.toArray(new String[0]));
        assertThat(out() + err()).doesNotContain("\tat ", "s3cret", READ_ONLY, NO_DELETE);
        return exit;
    }

    private List<String> password(String password) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), password + "\n");
        return List.of("--password-file=" + file);
    }

    private List<String> token(String token) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), token + "\n");
        return List.of("--token-file=" + file);
    }

    private void assertFails(String said) {
        assertThat(err().lines()).singleElement().asString().contains(said);
        assertThat(out()).isEmpty();
    }

    @Test
    void shouldLogInToJames38WithAToken() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair james = generator.generateKeyPair();
        JwtTokenVerifier verifier = new JwtTokenVerifier(() -> List.of(james.getPublic()));
        String token = tokenOf(james, true);
        try (WebAdmin server = server(new JwtFilter(() -> verifier))) {
            assertThat(run(server, token(token), "add", "a@x.org")).as(err()).isZero();
            assertThat(run(server, token(token), "remove", "a@x.org")).isZero();

            assertThat(run(server, List.of(), "export")).isEqualTo(2);
            assertFails("a login is needed (status 401)");
            assertThat(run(server, password(PASSWORD), "export")).isEqualTo(2);
            assertFails("the password of --password-file is refused (status 401)");
            assertFails("before James 3.9.0 tokens only");
            String stranger = tokenOf(generator.generateKeyPair(), true);
            for (String wrong : List.of(tokenOf(james, false), stranger, "x")) {
                assertThat(run(server, token(wrong), "export")).isEqualTo(2);
                assertFails("the token of --token-file is refused (status 401)");
                assertThat(err()).doesNotContain(wrong + " ");
            }
        }
    }

    private static String tokenOf(KeyPair james, boolean admin) {
        return Jwts.builder()
                .setSubject("root")
                .claim("admin", admin)
                .signWith(james.getPrivate())
                .compact();
    }

    @Test
    void shouldLogInToJames39WithAPassword() throws Exception {
        try (WebAdmin server = server(PasswordFilterStandIn.of39(PASSWORD))) {
            assertThat(run(server, password(PASSWORD), "add", "a@x.org")).as(err()).isZero();
            assertThat(run(server, password(PASSWORD), "remove", "a@x.org")).isZero();

            assertThat(run(server, List.of(), "export")).isEqualTo(2);
            assertFails("with --password-file or --password-env, or a token with --token-file");
            assertThat(run(server, password("s3cret"), "export")).isEqualTo(2);
            assertFails("the password of --password-file is refused (status 401)");
            assertThat(run(server, token(PASSWORD), "export")).isEqualTo(2);
            assertFails("the token of --token-file is refused (status 401)");
        }
    }

    @Test
    void shouldReadThePasswordFromTheEnvironment() throws Exception {
        // Any variable will do, and this one is everywhere.
        try (WebAdmin server = server(PasswordFilterStandIn.of39(System.getenv("PATH")))) {
            assertThat(run(server, List.of("--password-env=PATH"), "add", "a@x.org")).isZero();
            assertThat(run(server, List.of("--password-env=NO_SUCH_ONE"), "export")).isEqualTo(2);
            assertFails("the environment has no variable NO_SUCH_ONE (--password-env)");
        }
    }

    @Test
    void shouldExplainWhatALoginOfJames310MayNotDo() throws Exception {
        Filter login = PasswordFilterStandIn.of310(PASSWORD, READ_ONLY, NO_DELETE);
        try (WebAdmin server = server(login)) {
            assertThat(run(server, password(NO_DELETE), "add", "a@x.org")).isZero();
            assertThat(run(server, password(NO_DELETE), "remove", "a@x.org")).isEqualTo(2);
            assertFails(
                    "removing is not allowed with the password of --password-file (status 403)");
            assertFails("password.nodelete");

            assertThat(run(server, password(READ_ONLY), "export")).isZero();
            assertThat(out()).isEqualTo("a@x.org\n");
            assertThat(run(server, password(READ_ONLY), "add", "b@x.org")).isEqualTo(2);
            assertFails(
                    "changing is not allowed with the password of --password-file (status 403)");
            assertFails("password.readonly");
            assertThat(run(server, password(READ_ONLY), "remove", "a@x.org")).isEqualTo(2);
            assertFails("removing is not allowed");

            assertThat(run(server, token(PASSWORD), "remove", "a@x.org")).isZero();
        }
    }

    /** The client of Java would put them into its complaint. */
    @ParameterizedTest
    @ValueSource(strings = {"s3cret\u0000", "s3cret\u0001x", "s3crét", "s3cret€", ""})
    void shouldNotShowWhatCannotBeSent(String secret) throws Exception {
        try (WebAdmin server = server(PasswordFilterStandIn.of39(PASSWORD))) {
            assertThat(run(server, password(secret), "export")).isEqualTo(2);
            assertFails("the password of --password-file cannot be sent; allowed: ");
            assertThat(run(server, token(secret), "export")).isEqualTo(2);
            assertFails("the token of --token-file cannot be sent; allowed: ");
        }
    }

    @Test
    void shouldTakeOneLogin() throws Exception {
        try (WebAdmin server = server(PasswordFilterStandIn.of39(PASSWORD))) {
            List<String> both = new ArrayList<>(password(PASSWORD));
            both.addAll(token("x"));
            assertThat(run(server, both, "export")).isEqualTo(2);
            assertThat(err()).contains("--token-file: allowed only without --password-file");
        }
    }
}
