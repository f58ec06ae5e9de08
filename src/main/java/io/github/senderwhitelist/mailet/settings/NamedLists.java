package io.github.senderwhitelist.mailet.settings;

import com.google.common.base.Suppliers;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.ListName;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.james.server.core.configuration.ConfigurationProvider;
import org.xml.sax.SAXParseException;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The lists that {@code conf/whitelists.xml} defines by name. The parameters of such a list are set
 * only there, so all its users have the same ones.
 *
 * <pre>{@code
 * <whitelists>
 *   <whitelist name="partners">
 *     <source>file://conf/partners.txt</source>
 *     <falsePositiveRate>0.0001</falsePositiveRate>
 *   </whitelist>
 * </whitelists>
 * }</pre>
 *
 * <p>The file is read once, when the first mailet or matcher names a list that is in it.
 */
@Singleton
public final class NamedLists {
    static final String FILE = "conf/whitelists.xml";

    private final FileSystem files;
    private final ConfigurationProvider configuration;

    /** The values of each list by the names of lists and elements. */
    private final Supplier<Map<String, Map<String, String>>> lists = Suppliers.memoize(this::read);

    @Inject
    public NamedLists(FileSystem files, ConfigurationProvider configuration) {
        this.files = files;
        this.configuration = configuration;
    }

    /** Returns what reads the files of {@code conf/}. */
    public ConfigurationProvider configuration() {
        return configuration;
    }

    /** Returns parameters with these values, whose files are below James' folder. */
    public Parameters parameters(String owner, Map<String, String> values) {
        return new Parameters(owner, values, url -> files.getFile(url).toPath());
    }

    static String owner(String name) {
        return FILE + ", whitelist " + name;
    }

    /** Returns the values that the file has for a list, which the user's parameters name. */
    Map<String, String> values(Parameters user, String name) {
        Map<String, Map<String, String>> known = lists.get();
        Map<String, String> values = known.get(name);
        if (values != null) {
            return values;
        }
        String allowed =
                known.isEmpty()
                        ? "a file URL such as file://conf/whitelist.txt, since that file is missing"
                                + " or defines no lists"
                        : String.join(", ", known.keySet()) + ", or a file URL";
        throw user.wrong(
                ListParameters.WHITELIST,
                ": no list '%s' in %s; allowed: %s".formatted(Text.shown(name), FILE, allowed));
    }

    /** Returns the names of the lists whose source is a database. */
    List<String> living() {
        return lists.get().entrySet().stream()
                .filter(
                        list ->
                                list.getValue()
                                        .getOrDefault(ListParameters.SOURCE, "")
                                        .strip()
                                        .startsWith(ListParameters.DATABASE))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the lists in databases, for messages. If there are none, that is one to define. */
    String livingAllowed() {
        List<String> living = living();
        return "a list in %s whose source is a database: %s"
                .formatted(
                        FILE,
                        living.isEmpty()
                                ? "there is none, so put this into it, between <whitelists> and"
                                        + " </whitelists>: <whitelist name=\"learned\"><source>"
                                        + ListParameters.EXAMPLE
                                        + "</source></whitelist>, and here <list>learned</list>"
                                : String.join(", ", living));
    }

    private Map<String, Map<String, String>> read() {
        HierarchicalConfiguration<ImmutableNode> root;
        try {
            root = configuration.getConfiguration("whitelists");
        } catch (ConfigurationException | RuntimeException e) {
            throw new SettingException(FILE + ": cannot be read: " + reason(e), e);
        }
        for (Iterator<String> keys = root.getKeys(); keys.hasNext(); ) {
            String key = keys.next();
            if (!key.startsWith("whitelist[@") && !key.startsWith("whitelist.")) {
                throw wrong("'%s'; allowed: elements whitelist with an attribute name", key);
            }
        }
        Map<String, Map<String, String>> read = new LinkedHashMap<>();
        for (HierarchicalConfiguration<ImmutableNode> list : root.configurationsAt("whitelist")) {
            String name = list.getString("[@name]", "").strip();
            if (!ListName.isAllowed(name) || read.put(name, values(name, list)) != null) {
                throw wrong(
                        "whitelist name '%s'; allowed: " + ListName.ALLOWED + "; each name once",
                        name);
            }
        }
        return read;
    }

    private static SettingException wrong(String what, String written) {
        return new SettingException(FILE + ": " + what.formatted(Text.shown(written)));
    }

    /** Returns what the parser says, and where; what James makes of it names neither. */
    private static String reason(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof SAXParseException wrong) {
                String message = String.valueOf(wrong.getMessage());
                return "line " + wrong.getLineNumber() + ": " + Text.shown(message);
            }
        }
        return Text.shown(String.valueOf(failure.getMessage()));
    }

    private static Map<String, String> values(
            String name, HierarchicalConfiguration<ImmutableNode> list) {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> keys = list.getKeys(); keys.hasNext(); ) {
            String key = keys.next();
            if (list.getList(key).size() > 1) {
                throw new SettingException(
                        "%s: parameter %s is given several times; allowed: each once"
                                .formatted(owner(name), Text.shown(key)));
            }
            values.put(key, list.getString(key, ""));
        }
        values.remove("[@name]");
        return values;
    }
}
