package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import org.w3c.dom.Element;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mailets and matchers in {@code conf/mailetcontainer.xml} that ask lists, by the names that
 * James gives them.
 */
final class ConfiguredMailets {
    private static final String MAILET = "SenderWhitelist";
    private static final String MATCHER = "SenderIsWhitelisted";

    /** A class with or without its package, and the condition of a matcher. */
    private static final Pattern CLASS =
            Pattern.compile("(?:.*\\.)?(\\w+)(?:=(.*))?", Pattern.DOTALL);

    private final Map<String, List<Parameters>> named = new LinkedHashMap<>();

    /**
     * What a mailet or matcher was told.
     *
     * @param lists the lists, as they are written
     * @param shown the policy in one line
     */
    record Told(String lists, Policy policy, String shown) {}

    /**
     * Returns what the mailet or matcher of a name was told.
     *
     * @throws IOException if there is none, or the file cannot be read
     */
    static Told find(JamesFolder james, String name) throws IOException {
        Path file = james.conf().resolve("mailetcontainer.xml");
        ConfiguredMailets all = new ConfiguredMailets();
        try {
            for (Element each : JamesFolder.elements(file)) {
                all.add(each, james);
            }
            List<Parameters> those = all.named.getOrDefault(name, List.of());
            if (those.stream().map(Parameters::values).distinct().count() > 1) {
                throw new IOException(
                        "--as: %s has %s named '%s' with different parameters; give each a <name>"
                                .formatted(file, those.size(), name));
            }
            if (!those.isEmpty()) {
                Parameters found = those.getFirst();
                Policy policy =
                        CheckParameters.policy(
                                found,
                                InstantSource.system(),
                                RecipientUsers.NONE,
                                domain -> false);
                String shown = CheckParameters.shown(found);
                return new Told(ListParameters.whitelist(found), policy, shown);
            }
        } catch (SettingException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        throw new IOException(
                "--as: no '%s' in %s; allowed: %s"
                        .formatted(
                                name,
                                file,
                                all.named.isEmpty()
                                        ? "nothing, since no mailet or matcher there asks a list"
                                        : String.join(", ", all.named.keySet())));
    }

    private void add(Element element, JamesFolder james) throws SettingException {
        boolean isMailet = element.getTagName().equals("mailet");
        if (!isMailet && !element.getTagName().equals("matcher")) {
            return;
        }
        for (String attribute : List.of("match", "notmatch")) {
            Matcher match = CLASS.matcher(element.getAttribute(attribute));
            if (match.matches() && match.group(1).equals(MATCHER)) {
                add(MATCHER, Parameters.ofCondition(MATCHER, match.group(2)), james);
            }
        }
        Matcher mailet = CLASS.matcher(element.getAttribute("class"));
        if (isMailet && mailet.matches() && mailet.group(1).equals(MAILET)) {
            add(MAILET, JamesFolder.children(element), james);
        }
    }

    private void add(String owner, Map<String, String> values, JamesFolder james)
            throws SettingException {
        Parameters parameters = new Parameters(owner, values, james::resolve);
        named.computeIfAbsent(CheckParameters.name(parameters), any -> new ArrayList<>())
                .add(parameters);
    }
}
