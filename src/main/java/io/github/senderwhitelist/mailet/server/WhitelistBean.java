package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ObjectName;
import javax.management.ReflectionException;

/**
 * The bean of a list in JMX, {@code io.github.senderwhitelist:type=Whitelist,name=NAME}: its
 * figures, and an operation to reload it. A dynamic bean can describe its attributes and operations
 * to JMX clients.
 */
final class WhitelistBean implements DynamicMBean {
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistBean.class);
    private static final String TEXT = String.class.getName();
    private static final String HEALTH = "healthy, or degraded and why";

    private final Reload reload;
    private final Map<String, Supplier<Object>> attributes = new LinkedHashMap<>();
    private final MBeanInfo info;

    /** Reads a list again, and reports in words what became of it. */
    @FunctionalInterface
    private interface Reload {
        String now() throws IOException;
    }

    private <L extends SenderList> WhitelistBean(
            L list, List<Text<L>> texts, List<Figure<L>> figures, Reload reload) {
        this.reload = reload;
        List<MBeanAttributeInfo> infos = new ArrayList<>();
        for (Text<L> text : texts) {
            attributes.put(text.name, () -> text.value.apply(list));
            infos.add(attribute(text.name, TEXT, text.description));
        }
        for (Figure<L> figure : figures) {
            attributes.put(figure.attribute(), () -> figure.value().of(list));
            infos.add(attribute(figure.attribute(), figure.type(), figure.description()));
        }
        this.info =
                new MBeanInfo(
                        WhitelistBean.class.getName(),
                        "A sender whitelist",
                        infos.toArray(MBeanAttributeInfo[]::new),
                        null,
                        operations(),
                        null);
    }

    /** An attribute that is a text. */
    private record Text<L>(String name, String description, Function<L, String> value) {}

    private static WhitelistBean of(FileList list) {
        return new WhitelistBean(
                list,
                List.of(
                        new Text<FileList>(
                                "File", "The list's file", of -> of.settings().file().toString()),
                        new Text<>("Health", HEALTH, of -> health(of.status().problem())),
                        new Text<>(
                                "Built",
                                "When the list in force was built (ISO 8601, UTC)",
                                of -> of.status().built().toString())),
                Figure.OF_FILES,
                () -> {
                    ListStatus now = list.reload();
                    return inForce(now.problem(), now.header().entries());
                });
    }

    private static WhitelistBean of(LivingList list) {
        return new WhitelistBean(
                list,
                List.of(
                        new Text<LivingList>(
                                "Health",
                                HEALTH,
                                of -> health(ServedDatabase.problem(of.status()))),
                        new Text<>(
                                "AsOf",
                                "The time that the base is known of (ISO 8601, UTC)",
                                of -> String.valueOf(of.status().asOf()))),
                Figure.OF_DATABASES,
                () -> {
                    LivingStatus now = list.reload();
                    return inForce(ServedDatabase.problem(now), now.entries())
                            + ", "
                            + now.differences()
                            + " were not those of the database";
                });
    }

    private static MBeanAttributeInfo attribute(String name, String type, String description) {
        return new MBeanAttributeInfo(name, type, description, true, false, false);
    }

    private static MBeanOperationInfo[] operations() {
        return new MBeanOperationInfo[] {
            operation(
                    "reload",
                    "Reads the list's file now, as soon as it stands still, whether it changed or"
                            + " not, or the whole list from its database, and reports what became"
                            + " of it",
                    MBeanOperationInfo.ACTION)
        };
    }

    private static MBeanOperationInfo operation(
            String name, String description, int impact, MBeanParameterInfo... parameters) {
        return new MBeanOperationInfo(name, description, parameters, TEXT, impact);
    }

    /**
     * Registers a list with the platform's MBean server. A failure is only logged, because mail
     * does not depend on it.
     *
     * @return the name of the bean, or null when it could not be registered
     */
    static @Nullable ObjectName register(String name, FileList list) {
        return register(name, of(list));
    }

    /** Registers a list in a database in the same way. */
    static @Nullable ObjectName register(String name, LivingList list) {
        return register(name, of(list));
    }

    private static @Nullable ObjectName register(String name, WhitelistBean bean) {
        try {
            ObjectName objectName =
                    new ObjectName("io.github.senderwhitelist:type=Whitelist,name=" + name);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, objectName);
            return objectName;
        } catch (JMException | RuntimeException e) {
            LOGGER.warn("Whitelist {}: not shown over JMX: {}", name, e.toString());
            return null;
        }
    }

    /** Takes a bean out of JMX; null is ignored. */
    static void unregister(@Nullable ObjectName name) {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException | RuntimeException e) {
            LOGGER.warn("{} could not be taken back from JMX: {}", name, e.toString());
        }
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return info;
    }

    @Override
    public Object getAttribute(String name) throws AttributeNotFoundException {
        Supplier<Object> value = attributes.get(name);
        if (value == null) {
            throw new AttributeNotFoundException(name);
        }
        return value.get();
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList values = new AttributeList();
        for (String name : names) {
            Supplier<Object> value = attributes.get(name);
            if (value != null) {
                values.add(new Attribute(name, value.get()));
            }
        }
        return values;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + ": only to be read");
    }

    @Override
    public AttributeList setAttributes(AttributeList values) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String name, Object[] parameters, String[] signature)
            throws ReflectionException {
        return switch (name) {
            case "reload" -> reload();
            default -> throw new ReflectionException(new NoSuchMethodException(name));
        };
    }

    private static String health(@Nullable String problem) {
        return problem == null ? "healthy" : "degraded: " + problem;
    }

    private static String inForce(@Nullable String problem, long entries) {
        return health(problem) + ", " + entries + " entries in force";
    }

    private String reload() {
        try {
            return reload.now();
        } catch (IOException e) {
            return "not reloaded: " + e.getMessage();
        }
    }
}
