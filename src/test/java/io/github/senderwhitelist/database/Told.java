package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingStatus;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a list reports. */
class Told implements LivingListener {
    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void built(LivingStatus status) {
        all.add("built");
    }

    @Override
    public void lost() {
        all.add("lost");
    }

    @Override
    public void failed(String what, Throwable cause) {
        all.add("failed");
    }

    @Override
    public void recovered() {
        all.add("recovered");
    }
}
