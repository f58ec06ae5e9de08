package io.github.senderwhitelist.it.james39;

import org.apache.james.dnsservice.api.DNSService;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;

/** A DNS without any hosts. */
final class NoDns implements DNSService {
    @Override
    public Collection<String> findMXRecords(String hostname) {
        return List.of();
    }

    @Override
    public Collection<String> findTXTRecords(String hostname) {
        return List.of();
    }

    @Override
    public Collection<InetAddress> getAllByName(String host) throws UnknownHostException {
        throw new UnknownHostException(host);
    }

    @Override
    public InetAddress getByName(String host) throws UnknownHostException {
        throw new UnknownHostException(host);
    }

    @Override
    public InetAddress getLocalHost() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    public String getHostName(InetAddress addr) {
        return addr.getHostAddress();
    }
}
