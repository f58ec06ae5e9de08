package io.github.senderwhitelist.living;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** The record of the simulation is one. */
class MemoryRecordTest extends ListRecordContract {
    private final Map<String, MemoryRecord> lists = new HashMap<>();

    @Override
    protected ListRecord open(String list) {
        return lists.computeIfAbsent(list, name -> new MemoryRecord(new Random(name.hashCode())));
    }

    @Override
    protected void age(int days) {
        MemoryRecord own = (MemoryRecord) open("vip");
        own.now = Instant.now().plus(Duration.ofDays(days));
    }
}
