package io.github.senderwhitelist.mailet;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.ProcessingState;
import org.apache.mailet.base.GenericMailet;

/** Stub. */
public class SenderWhitelist extends GenericMailet {
    private final FileSystem fileSystem;
    private Set<String> entries = Set.of();

    @Inject
    public SenderWhitelist(FileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    @Override
    public void init() throws MessagingException {
        try {
            entries = new HashSet<>(Files.readAllLines(
                    fileSystem.getFile(getInitParameter("whitelist")).toPath()));
        } catch (IOException e) {
            throw new MessagingException("no list", e);
        }
    }

    @Override
    public List<ProcessingState> requiredProcessingState() {
        return Optional.ofNullable(getInitParameter("onWhitelisted")).map(ProcessingState::new).stream()
                .toList();
    }

    @Override
    public void service(Mail mail) {
        boolean listed = entries.contains(mail.getMaybeSender().asString());
        mail.setAttribute(new Attribute(
                AttributeName.of("io.github.senderwhitelist.verdict"),
                AttributeValue.of(listed ? "listed" : "not-listed")));
        String processor = getInitParameter(listed ? "onWhitelisted" : "onNotWhitelisted");
        if (processor != null) {
            mail.setState(processor);
        }
    }
}
