package io.github.senderwhitelist.it;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

import java.io.IOException;
import java.util.Arrays;

import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The bean of the tests' list in a server, reached as jconsole reaches a process of its user's. */
final class Jmx implements AutoCloseable {
    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final ObjectName list;

    private Jmx(JMXConnector connector, MBeanServerConnection beans, ObjectName list) {
        this.connector = connector;
        this.beans = beans;
        this.list = list;
    }

    // The address comes from a process of our own.
    @SuppressWarnings("BanJNDI")
    static Jmx of(ServerProcess process) throws IOException, JMException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
            String url = machine.startLocalManagementAgent();
            machine.detach();
            JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(url));
            return new Jmx(
                    connector,
                    connector.getMBeanServerConnection(),
                    new ObjectName("io.github.senderwhitelist:type=Whitelist,name=people"));
        } catch (AttachNotSupportedException e) {
            throw new IOException(e);
        }
    }

    Object get(String attribute) throws IOException, JMException {
        return beans.getAttribute(list, attribute);
    }

    String call(String operation) throws IOException, JMException {
        return (String) beans.invoke(list, operation, new Object[0], new String[0]);
    }

    /** Returns what all mailets and matchers say of an envelope sender, and why. */
    String explain(String sender) throws IOException, JMException {
        String[] types = new String[5];
        Arrays.fill(types, String.class.getName());
        return (String)
                beans.invoke(
                        new ObjectName("io.github.senderwhitelist:type=Explain"),
                        "explain",
                        new Object[] {"", sender, "", "", ""},
                        types);
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
