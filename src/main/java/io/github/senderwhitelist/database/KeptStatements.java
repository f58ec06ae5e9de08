package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * A cache of the prepared statements of a connection that are idle. PostgreSQL's driver keeps its
 * statements by itself; SQLite's does not.
 */
final class KeptStatements implements InvocationHandler {
    private final Connection connection;
    private final Map<String, PreparedStatement> idle = new HashMap<>();

    private KeptStatements(Connection connection) {
        this.connection = connection;
    }

    /** Returns a connection on top of another one, for one thread at a time. */
    static Connection on(Connection connection) {
        return (Connection)
                Proxy.newProxyInstance(
                        KeptStatements.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        new KeptStatements(connection));
    }

    /** Ends the use of a statement that was run to its end. */
    static void end(Connection connection, String sql, PreparedStatement statement)
            throws SQLException {
        PreparedStatement closed = statement;
        if (Proxy.isProxyClass(connection.getClass())
                && Proxy.getInvocationHandler(connection) instanceof KeptStatements kept) {
            closed = kept.idle.put(sql, statement);
        }
        if (closed != null) {
            closed.close();
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getName().equals("prepareStatement")
                && arguments != null
                && arguments.length == 1) {
            PreparedStatement kept = idle.remove((String) arguments[0]);
            if (kept != null) {
                return kept;
            }
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
