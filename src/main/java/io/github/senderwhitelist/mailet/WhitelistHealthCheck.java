package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.inject.Inject;

import org.apache.james.core.healthcheck.ComponentName;
import org.apache.james.core.healthcheck.HealthCheck;
import org.apache.james.core.healthcheck.Result;
import org.reactivestreams.Publisher;

import reactor.core.publisher.Mono;

/**
 * The health of all lists: degraded, with the reason, when what a list should hold is not active,
 * and unhealthy when there is no list at all. {@code healthcheck.properties} switches it on:
 *
 * <pre>
 * additional.healthchecks=io.github.senderwhitelist.mailet.WhitelistHealthCheck
 * </pre>
 */
public class WhitelistHealthCheck implements HealthCheck {
    private static final ComponentName NAME = new ComponentName("Sender whitelist");

    private final SharedLists lists;

    @Inject
    public WhitelistHealthCheck(SharedLists lists) {
        this.lists = lists;
    }

    @Override
    public ComponentName componentName() {
        return NAME;
    }

    @Override
    public Publisher<Result> check() {
        return Mono.fromSupplier(this::result);
    }

    private Result result() {
        if (lists.isEmpty()) {
            return Result.unhealthy(
                    NAME,
                    "no list is active: mailetcontainer.xml names no SenderWhitelist or"
                            + " SenderIsWhitelisted, or it has not started yet");
        }
        String problems = String.join("; ", lists.problems());
        return problems.isEmpty() ? Result.healthy(NAME) : Result.degraded(NAME, problems);
    }
}
