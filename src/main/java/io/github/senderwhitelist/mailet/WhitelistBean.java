package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.live.ListStatus;
import io.github.senderwhitelist.live.LiveList;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** A list as it is seen over JMX. */
final class WhitelistBean implements WhitelistMXBean {
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistBean.class);

    private final LiveList list;
    private final Whitelist whitelist;

    private WhitelistBean(LiveList list, Policy policy) {
        this.list = list;
        this.whitelist = new Whitelist(List.of(list), policy);
    }

    /**
     * Registers a list with the platform's MBean server. Mail flows without it, so a failure is
     * only logged.
     *
     * @param policy of the mailet that named the list first
     * @return its name there, or null when it could not be registered
     */
    static @Nullable ObjectName register(String name, LiveList list, Policy policy) {
        try {
            ObjectName objectName =
                    new ObjectName("io.github.senderwhitelist:type=Whitelist,name=" + name);
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new Described(new WhitelistBean(list, policy)), objectName);
            return objectName;
        } catch (JMException | RuntimeException e) {
            LOGGER.warn(
                    "Whitelist {}: not shown over JMX: {}", list.settings().file(), e.toString());
            return null;
        }
    }

    /** The bean with words for its operations, which JMX does not take from javadoc. */
    private static final class Described extends StandardMBean {
        Described(WhitelistMXBean bean) {
            super(bean, WhitelistMXBean.class, true);
        }

        @Override
        protected String getDescription(MBeanOperationInfo operation) {
            return switch (operation.getName()) {
                case "reload" ->
                        "Reads the list's file now, whether it changed or not, and tells what"
                                + " became of it";
                case "check" ->
                        "Asks this list for a sender: listed, not-listed or unavailable, and the"
                                + " entry that decided; counts as any question";
                case "explain" ->
                        "Tells how this list's answer for a sender comes about: keys, filter,"
                                + " entries, conditions";
                default -> super.getDescription(operation);
            };
        }

        @Override
        protected String getParameterName(
                MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
            return "address";
        }
    }

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
    public String getFile() {
        return list.settings().file().toString();
    }

    @Override
    public String getHealth() {
        return health(list.status());
    }

    private static String health(ListStatus status) {
        return status.problem() == null ? "healthy" : "degraded: " + status.problem();
    }

    @Override
    public long getEntries() {
        return list.status().generation().entries();
    }

    @Override
    public String getBuilt() {
        return list.status().built().toString();
    }

    @Override
    public long getAgeSeconds() {
        return WhitelistMetrics.ageSeconds(list.status());
    }

    @Override
    public long getReloadsDone() {
        return list.status().done();
    }

    @Override
    public long getReloadsHeldBack() {
        return list.status().heldBack();
    }

    @Override
    public long getReloadsFailed() {
        return list.status().failed();
    }

    @Override
    public long getFilterNo() {
        return list.counters().filterNo();
    }

    @Override
    public long getFilterMaybe() {
        return list.counters().filterMaybe();
    }

    @Override
    public long getFalsePositives() {
        return list.counters().falsePositives();
    }

    @Override
    public double getFalsePositiveRate() {
        return WhitelistMetrics.falsePositiveRate(list);
    }

    @Override
    public double getExpectedFalsePositiveRate() {
        SnapshotHeader header = list.status().generation();
        return header.addressFilter().rate(header.addresses());
    }

    @Override
    public long getCacheHits() {
        return list.counters().cacheHits();
    }

    @Override
    public double getCacheHitRate() {
        return list.counters().cacheHitRate();
    }

    @Override
    public long getLookups() {
        return list.counters().lookups();
    }

    @Override
    public long getLookupsFailed() {
        return list.counters().failures();
    }

    @Override
    public String reload() {
        try {
            ListStatus status = list.reload();
            return health(status) + ", " + status.generation().entries() + " entries in force";
        } catch (IOException e) {
            return "not reloaded: " + e.getMessage();
        }
    }

    @Override
    public String check(String address) {
        Sender sender = Sender.parse(address.strip());
        return switch (whitelist.check(Question.of(sender)).getFirst()) {
            case Listed(var entry) -> "listed " + entry;
            case NotListed(var reason, var entry) ->
                    "not-listed"
                            + (sender instanceof Nobody(var same, String why)
                                    ? " (no address: " + why + ")"
                                    : "")
                            + (entry == null ? "" : " " + entry);
            case Unavailable(var cause) -> "unavailable " + cause.getMessage();
            case Failed(var cause) -> "unavailable " + cause;
        };
    }

    @Override
    public String explain(String address) {
        Question question = Question.of(Sender.parse(address.strip()));
        return String.join("\n", whitelist.explain(question));
    }
}
