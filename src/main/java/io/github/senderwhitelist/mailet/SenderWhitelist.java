package io.github.senderwhitelist.mailet;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Mail;
import org.apache.mailet.ProcessingState;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Sends mails of listed senders to one processor and all others to another, or on to the next
 * mailet.
 *
 * <pre>{@code
 * <mailet match="All" class="io.github.senderwhitelist.mailet.SenderWhitelist">
 *   <whitelist>file://conf/whitelist.txt</whitelist>
 *   <onWhitelisted>transport</onWhitelisted>
 *   <onNotWhitelisted>spam-check</onNotWhitelisted>
 * </mailet>
 * }</pre>
 *
 * <p>Without {@code onWhitelisted} and {@code onNotWhitelisted} it only marks: every mail gets the
 * attribute {@code io.github.senderwhitelist.verdict} ({@code listed}, {@code not-listed}, {@code
 * unavailable}) and, when an entry decided, {@code io.github.senderwhitelist.entry}. The null
 * sender is never listed. All parameters are in the README.
 */
public class SenderWhitelist extends GenericMailet {
    private static final String ON_WHITELISTED = "onWhitelisted";
    private static final String ON_NOT_WHITELISTED = "onNotWhitelisted";

    /** James' own, for every mailet. */
    private static final Set<String> OF_EVERY_MAILET =
            Set.of("onMailetException", "onMatchException");

    private final FileSystem files;
    private final SharedLists shared;
    private @Nullable SenderCheck check;
    private @Nullable String onWhitelisted;
    private @Nullable String onNotWhitelisted;

    /** For the injector. */
    @Inject
    public SenderWhitelist(FileSystem files, SharedLists shared) {
        this.files = files;
        this.shared = shared;
    }

    @Override
    public void init() throws MessagingException {
        Parameters parameters = new Parameters("SenderWhitelist", values(), files);
        Set<String> allowed = new HashSet<>(Parameters.NAMES);
        allowed.add(ON_WHITELISTED);
        allowed.add(ON_NOT_WHITELISTED);
        parameters.checkNames(allowed);
        onWhitelisted = parameters.processor(ON_WHITELISTED);
        onNotWhitelisted = parameters.processor(ON_NOT_WHITELISTED);
        check = SenderCheck.open("SenderWhitelist", parameters, shared);
    }

    private Map<String, String> values() {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> names = getInitParameterNames(); names.hasNext(); ) {
            String name = names.next();
            if (!OF_EVERY_MAILET.contains(name)) {
                values.put(name, getInitParameter(name));
            }
        }
        return values;
    }

    /**
     * The processors named in the configuration, so that the server checks at start-up that it has
     * them.
     */
    @Override
    public Collection<ProcessingState> requiredProcessingState() {
        return Stream.of(ON_WHITELISTED, ON_NOT_WHITELISTED)
                .map(this::getInitParameter)
                .filter(Objects::nonNull)
                .map(String::strip)
                .map(ProcessingState::new)
                .toList();
    }

    @Override
    public void service(Mail mail) {
        boolean listed = Objects.requireNonNull(check, "init comes first").isListed(mail);
        String processor = listed ? onWhitelisted : onNotWhitelisted;
        if (processor != null) {
            mail.setState(processor);
        }
    }

    @Override
    public void destroy() {
        if (check != null) {
            check.close();
            check = null;
        }
    }

    @Override
    public String getMailetInfo() {
        return "Sender whitelist";
    }
}
