package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The plugin in the whole James 3.8.1 server: SMTP in, mailboxes over IMAP, other servers by SMTP.
 */
class James38IT extends WhitelistContract {
    /** A user whose Sieve script passes all mails on to sam. */
    private static final String ROB = "rob@here.example";

    @Override
    Path jar() {
        return James38.JAR;
    }

    @Override
    JamesServer launch(ServerDirectory directory) throws IOException {
        directory.mailetContainer(
                conf -> conf.insert("local-delivery", "RecipientIs=" + ROB, "Sieve", Map.of()));
        return new James38(directory, James38.Ports.free(), new Outside());
    }

    @Override
    boolean alwaysSetsHeaders() {
        // Its RemoveMimeHeader, which every pipeline must have, sets headers.
        return true;
    }

    @Test
    void theMetricsInTheManualAreThere() throws Exception {
        Set<String> documented =
                Pattern.compile("`(senderWhitelist(?:_\\w+|\\.list\\.[\\w.]+))`")
                        .matcher(Docs.page("watching.md"))
                        .results()
                        .map(name -> name.group(1).replace('.', '_'))
                        .map(name -> name.replaceFirst("_(NAME|whitelist_txt)_", "_people_"))
                        // Of lists in databases, of which this server has none.
                        .filter(name -> !name.matches(".*_(changes|changes_bytes|merges|behind)"))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> shown =
                Pattern.compile("(?m)^senderWhitelist_\\w+")
                        .matcher(james().webAdmin("/metrics"))
                        .results()
                        .map(MatchResult::group)
                        .filter(name -> !name.matches("senderWhitelist_list_(second|own)_.*"))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "stranger@example.com"})
    void aMailThatAUsersSieveScriptRedirectsIsAskedAboutOnceMore(String sender) throws Exception {
        Letter letter = Letter.simple("redirected");
        send(sender, List.of(ROB), letter);

        assertThat(arrival(SAM, letter).folder()).isEqualTo(UNLISTED);
    }

    @Override
    void prepare(JamesServer james) throws IOException, InterruptedException {
        James38 whole = ((James38) james).withUsers();
        whole.addUser(ROB, "secret");
        whole.addSieve(ROB, "redirect \"" + SAM + "\";");
    }
}
