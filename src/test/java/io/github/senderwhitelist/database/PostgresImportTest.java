package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/** {@link ImportContract} with PostgreSQL. */
@Tag("large")
class PostgresImportTest extends ImportContract {
    @TempDir private Path folder;
    @AutoClose private @Nullable Postgres server;

    @Override
    Database connect() throws IOException {
        if (server == null) {
            server = Postgres.started(folder);
        }
        return server.open("public", TIMEOUT);
    }
}
