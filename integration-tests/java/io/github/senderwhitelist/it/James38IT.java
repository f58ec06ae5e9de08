package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The plugin in the whole James 3.8.1 server: SMTP in, mailboxes over IMAP, other servers by SMTP.
 */
class James38IT extends WhitelistContract {
    @Override
    Path jar() {
        return James38.JAR;
    }

    @Override
    Running launch(ServerDirectory directory) throws IOException {
        James38 james =
                James38.launch(directory, James38.Ports.free(), new Outside(), javaOptions());
        return new Running(james, james.process(), James38.READY);
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
                        .filter(name -> !name.matches(".*_(senders|filter_bytes|behind)"))
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

    @Override
    void prepare(JamesServer james) throws IOException, InterruptedException {
        ((James38) james).withUsers();
    }
}
