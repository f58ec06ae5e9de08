package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.judge.MailFacts.Described;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.MBeanParameterInfo;
import javax.management.ObjectName;
import javax.management.modelmbean.InvalidTargetObjectTypeException;
import javax.management.modelmbean.ModelMBeanAttributeInfo;
import javax.management.modelmbean.ModelMBeanConstructorInfo;
import javax.management.modelmbean.ModelMBeanInfoSupport;
import javax.management.modelmbean.ModelMBeanNotificationInfo;
import javax.management.modelmbean.ModelMBeanOperationInfo;
import javax.management.modelmbean.RequiredModelMBean;

/**
 * The bean that explains verdicts over JMX, {@code io.github.senderwhitelist:type=Explain}: the
 * lines of text that WebAdmin has as JSON.
 */
public final class ExplainBean {
    private static final Logger LOGGER = LoggerFactory.getLogger(ExplainBean.class);
    private static final String TEXT = String.class.getName();
    private static final String NAME = "io.github.senderwhitelist:type=Explain";

    private final Judges judges;

    private ExplainBean(Judges judges) {
        this.judges = judges;
    }

    /**
     * Registers the bean with the platform's MBean server. A failure is only logged, because mail
     * does not depend on it.
     *
     * @return its name, or null when it could not be registered
     */
    static @Nullable ObjectName register(Judges judges) {
        try {
            RequiredModelMBean bean =
                    new RequiredModelMBean(
                            new ModelMBeanInfoSupport(
                                    ExplainBean.class.getName(),
                                    "What mailets and matchers say of a mail, and why",
                                    new ModelMBeanAttributeInfo[0],
                                    new ModelMBeanConstructorInfo[0],
                                    new ModelMBeanOperationInfo[] {explain()},
                                    new ModelMBeanNotificationInfo[0]));
            bean.setManagedResource(new ExplainBean(judges), "ObjectReference");
            return ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(bean, new ObjectName(NAME))
                    .getObjectName();
        } catch (JMException | InvalidTargetObjectTypeException | RuntimeException e) {
            LOGGER.warn("Explanations are not shown over JMX: {}", e.toString());
            return null;
        }
    }

    private static ModelMBeanOperationInfo explain() {
        return new ModelMBeanOperationInfo(
                "explain",
                "Explains the verdict on a mail, step by step",
                new MBeanParameterInfo[] {
                    parameter("as", "The name of a mailet or matcher; nothing: all"),
                    parameter("sender", "The envelope sender; nothing: the null sender"),
                    parameter("from", "The header From:; nothing: as in the envelope"),
                    parameter("recipient", "The recipients, separated by commas; or nothing"),
                    parameter("confirmed", "Some of spf, dkim, dkim:DOMAIN, login, network")
                },
                TEXT,
                ModelMBeanOperationInfo.INFO);
    }

    private static MBeanParameterInfo parameter(String name, String description) {
        return new MBeanParameterInfo(name, TEXT, description);
    }

    /** Explains the verdict on a mail; the bean calls this. */
    public String explain(
            String as, String sender, String from, String recipient, String confirmed) {
        Described mail;
        try {
            mail =
                    Described.parse(
                            sender,
                            from.isBlank() ? null : from,
                            Stream.of(recipient.split(",", -1))
                                    .filter(each -> !each.isBlank())
                                    .toList(),
                            confirmed);
        } catch (IllegalArgumentException e) {
            return "confirmed = " + e.getMessage();
        }
        List<String> lines =
                judges.explain(as.isBlank() ? null : as.strip(), mail).stream()
                        .flatMap(
                                each ->
                                        Stream.concat(
                                                Stream.of(Text.shown(each.as())),
                                                each.ruling().steps().stream()
                                                        .map(step -> "    " + Text.escaped(step))))
                        .toList();
        return lines.isEmpty()
                ? "as = '" + Text.shown(as) + "'; allowed: " + String.join("; ", judges.names())
                : String.join("\n", lines);
    }
}
