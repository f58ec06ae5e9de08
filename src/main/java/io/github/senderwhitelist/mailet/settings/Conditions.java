package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** The conditions of matchers. */
public final class Conditions {
    private Conditions() {}

    /** Parses the condition of the matcher: {@code URL;name=value;name=value}. */
    public static Map<String, String> values(String owner, @Nullable String condition)
            throws SettingException {
        Map<String, String> values = new HashMap<>();
        String[] parts = condition == null ? new String[] {""} : condition.split(";", -1);
        values.put(ListParameters.WHITELIST, parts[0].strip());
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name = equals < 0 ? "" : parts[i].substring(0, equals).strip();
            if (name.isEmpty()
                    || values.put(name, parts[i].substring(equals + 1).strip()) != null) {
                throw new SettingException(
                        owner
                                + ": '"
                                + Text.shown(parts[i].strip())
                                + "' in '"
                                + Text.shown(String.valueOf(condition))
                                + "'; allowed: the list's file URL or name, then ;name=value, each"
                                + " name once");
            }
        }
        return values;
    }
}
