package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.Conditions;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import org.w3c.dom.Element;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
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

    private final InstantSource clock;
    private final Map<String, Parameters> named = new LinkedHashMap<>();

    private ConfiguredMailets(InstantSource clock) {
        this.clock = clock;
    }

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
    static Told find(JamesFolder james, String name, InstantSource clock) throws IOException {
        Path file = james.conf().resolve("mailetcontainer.xml");
        ConfiguredMailets all = new ConfiguredMailets(clock);
        try {
            for (Element each : JamesFolder.elements(file)) {
                all.add(each, james);
            }
            Parameters found = all.named.get(name);
            if (found != null) {
                CheckParameters check = all.check(found);
                return new Told(ListParameters.whitelist(found), check.policy(), check.shown());
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
                add(MATCHER, Conditions.values(MATCHER, match.group(2)), james);
            }
        }
        Matcher mailet = CLASS.matcher(element.getAttribute("class"));
        if (isMailet && mailet.matches() && mailet.group(1).equals(MAILET)) {
            add(MAILET, JamesFolder.children(element), james);
        }
    }

    /** Those of the same lists and policy share a name, as James has it. */
    private void add(String owner, Map<String, String> values, JamesFolder james)
            throws SettingException {
        Parameters parameters = new Parameters(owner, values, james::resolve);
        String wanted = CheckParameters.name(parameters);
        String name = wanted;
        Parameters there = named.get(name);
        for (int i = 2; there != null && !terms(there).equals(terms(parameters)); i++) {
            name = wanted + "-" + i;
            there = named.get(name);
        }
        named.put(name, parameters);
    }

    private List<Object> terms(Parameters parameters) throws SettingException {
        return List.of(check(parameters).written(), ListParameters.whitelist(parameters));
    }

    private CheckParameters check(Parameters parameters) throws SettingException {
        return CheckParameters.read(parameters, clock, RecipientUsers.NONE, domain -> false);
    }
}
