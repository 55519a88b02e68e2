package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.store.jpa.Database;

/** The messages of a start that cannot open the embedded database. */
class BackupModuleTest {
    @TempDir
    Path data;

    private Database open(Map<String, String> settings) {
        return DatabaseFactory.open(Configuration.read(settings, Map.of()), data, InstantSource.system());
    }

    private void damageDatabase() throws IOException {
        Files.writeString(data.resolve("sallyport.mv.db"), "x".repeat(100_000));
    }

    @Test
    void damagedDatabaseIsReportedWithTheNewestBackup() throws IOException {
        damageDatabase();
        Path backups = Files.createDirectory(data.resolve("backups"));
        Path newest = Files.writeString(backups.resolve("sallyport-20260608T150045.227Z.zip"), "");
        Files.writeString(backups.resolve("sallyport-20260607T150045.227Z.zip"), "");
        Files.writeString(backups.resolve("sallyport-20260609T150045.227Z.zip.part"), "");

        assertThatThrownBy(() -> open(Map.of()).close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("cannot be opened")
                .hasMessageContaining("2026-06-08T15:00:45.227Z")
                .hasMessageContaining("sallyport restore " + newest + " ");
    }

    @Test
    void damagedDatabaseIsReportedWithTheDirectoryThatHasNoBackup() throws IOException {
        damageDatabase();
        Path backups = data.resolve("elsewhere");

        assertThatThrownBy(() ->
                        open(Map.of("sallyport.backup.directory", "elsewhere")).close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("there is no backup in " + backups + " ");
    }

    @Test
    void wrongPasswordIsNotReportedAsDamage() {
        open(Map.of()).close();

        assertThatThrownBy(() -> open(Map.of("sallyport.db.password", "wrong")).close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageNotContaining("backup");
    }
}
