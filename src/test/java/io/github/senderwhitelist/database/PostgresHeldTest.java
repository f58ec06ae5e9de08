package io.github.senderwhitelist.database;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import java.sql.Connection;
import java.sql.SQLException;

/** {@link PostgresTableTest} while a transaction elsewhere in the cluster is open throughout. */
@Tag("large")
class PostgresHeldTest extends PostgresTableTest {
    private Connection held;

    @BeforeEach
    void hold() throws SQLException {
        held = plain();
        held.setAutoCommit(false);
        Sql.run(held, "select pg_current_xact_id()");
    }

    @AfterEach
    void release() throws SQLException {
        held.rollback();
        held.close();
    }
}
