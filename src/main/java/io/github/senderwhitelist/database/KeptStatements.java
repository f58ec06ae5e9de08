package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.Map;

/**
 * A connection that keeps the statements it has prepared, and uses each again once it was closed.
 * PostgreSQL's driver does that by itself; SQLite's does not.
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

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getName().equals("prepareStatement")
                && arguments != null
                && arguments.length == 1) {
            return prepare((String) arguments[0]);
        }
        return call(connection, method, arguments);
    }

    private PreparedStatement prepare(String sql) throws Throwable {
        PreparedStatement kept = idle.remove(sql);
        PreparedStatement statement = kept == null ? connection.prepareStatement(sql) : kept;
        return (PreparedStatement)
                Proxy.newProxyInstance(
                        KeptStatements.class.getClassLoader(),
                        new Class<?>[] {PreparedStatement.class},
                        (proxy, method, arguments) -> {
                            if (!method.getName().equals("close")) {
                                return call(statement, method, arguments);
                            }
                            statement.clearParameters();
                            PreparedStatement other = idle.put(sql, statement);
                            if (other != null) {
                                other.close();
                            }
                            return null;
                        });
    }

    private static @Nullable Object call(
            Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
