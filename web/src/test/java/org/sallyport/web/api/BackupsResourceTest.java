package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.backup.BackupDirectory;
import org.sallyport.backup.BackupService;
import org.sallyport.backup.BackupWriter;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;

class BackupsResourceTest {
    private static final String NAME = "sallyport-20260608T150045.000Z.zip";

    private final FakeHttpExchange exchange = new FakeHttpExchange("POST", "/api/v1/backups");
    private final ApiDescription description = ApiDescription.read();

    @TempDir
    Path directory;

    private BackupsResource resource(Optional<BackupWriter> writer) {
        BackupsResource resource = new BackupsResource();
        resource.backups = new BackupService(
                writer, new BackupDirectory(directory), 7, InstantSource.fixed(Instant.parse("2026-06-08T15:00:45Z")));
        return resource;
    }

    private void assertRefused(Optional<BackupWriter> writer, ProblemType type) {
        BackupsResource resource = resource(writer);

        assertThatThrownBy(() -> resource.create(exchange.request()))
                .asInstanceOf(InstanceOfAssertFactories.type(ProblemException.class))
                .extracting(refused -> refused.problem().type())
                .isEqualTo(type);
        assertThat(exchange.attribute("org.sallyport.audit.note")).isEmpty();
    }

    @Test
    void backupIsDescribedListedAndNamedInTheAuditLog() {
        BackupsResource resource = resource(Optional.of(file -> Files.writeString(file, "copy")));

        Response created = resource.create(exchange.request());

        assertThat(created.getStatus()).isEqualTo(201);
        JsonNode backup = ApiDescription.roundTrip((JsonNode) created.getEntity());
        assertThat(description.violations("Backup", backup)).isEmpty();
        assertThat(backup.path("path").asText())
                .isEqualTo(directory.resolve(NAME).toString());
        assertThat(backup.path("bytes").asInt()).isEqualTo(4);
        assertThat(exchange.attribute("org.sallyport.audit.note")).contains(NAME);
        JsonNode list = ApiDescription.roundTrip((JsonNode) resource.list().getEntity());
        assertThat(description.violations("BackupList", list)).isEmpty();
        assertThat(list.path("items")).containsExactly(backup);
    }

    @Test
    void databaseElsewhereIsAConflict() {
        assertRefused(Optional.empty(), ProblemType.BACKUP_NOT_SUPPORTED);
    }

    @Test
    void failedBackupIsAProblemWithTheReason() {
        BackupWriter failing = file -> {
            throw new IOException("the disk is full");
        };

        assertRefused(Optional.of(failing), ProblemType.BACKUP_FAILED);
        assertThatThrownBy(() -> resource(Optional.of(failing)).create(exchange.request()))
                .hasMessageContaining("the disk is full");
    }
}
