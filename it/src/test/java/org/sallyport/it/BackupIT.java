package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.SubmissionLoad;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The way back of {@code docs/backup.md}: a backup under load, a damaged database, the restore, and what it keeps. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class BackupIT {
    private static final Duration LIMIT = Duration.ofSeconds(180);
    private static final String BACKUPS = "/api/v1/backups";

    private static RestResponse createBackup(RestClient api) {
        RestResponse answer = api.send(api.request(BACKUPS).POST(BodyPublishers.noBody()));
        assertThat(OpenApiResponseValidator.of(api).validate("POST", BACKUPS, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    /** Returns the backup. A backup by the interval may be in progress. */
    private static JsonNode createBackupBesideTheInterval(RestClient api) {
        List<RestResponse> answers = new ArrayList<>();
        Await.until("a backup is taken on request", LIMIT, () -> {
            RestResponse answer = createBackup(api);
            answers.add(answer);
            if (answer.status() == 409) {
                assertThat(answer.problemType()).isEqualTo("backup-running");
            }
            return answer.status() != 409;
        });
        return answers.get(answers.size() - 1).expectStatus(201).json();
    }

    private static CommandResult restore(SallyportServer server, Path backup) {
        return CommandResult.run(
                Map.of("SALLYPORT_DATA", server.dataDirectory().toString()),
                List.of("./sallyport", "restore", backup.toString()));
    }

    private static boolean hasFile(Path directory, String start) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> String.valueOf(file.getFileName()).startsWith(start));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void damagedDatabaseIsReplacedByABackupThatWasTakenUnderLoad(SallyportServer server, TestTenant tenant)
            throws IOException {
        assertDamagedDatabaseIsReplaced(server, tenant.api(), () -> {
            server.kill();
            damageDatabase(server);
        });
    }

    @Tag("slow")
    @Test
    void serverThatCannotOpenItsDatabaseNamesTheNewestBackupOfTheInterval() throws IOException {
        try (SallyportServer server = ServerSetup.create("backup")
                .with("sallyport.backup.interval-millis", "5000")
                .start()) {
            assertDamagedDatabaseIsReplaced(server, server.api(), () -> {
                server.stop();
                damageDatabase(server);
                server.startProcess();
                Await.until(
                        "the log names the newest backup",
                        LIMIT,
                        () -> server.logText().contains("sallyport restore " + server.dataDirectory()));
                server.kill();
            });
        }
    }

    private static void damageDatabase(SallyportServer server) {
        try {
            Files.writeString(server.dataDirectory().resolve("sallyport.mv.db"), "x".repeat(100_000));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * @param api client of the tenant that submits
     * @param damage ends the server and damages its database
     */
    private static void assertDamagedDatabaseIsReplaced(SallyportServer server, RestClient api, Runnable damage)
            throws IOException {
        Path kept = ServerSetup.temporaryDirectory().resolve("kept.zip");
        RestClient operator = server.api();
        String ended = api.run(SubmissionBody.javascript("return 1")).path("id").asText();
        String waiting = api.submit(SubmissionBody.javascript("return (await events.next('go')).data"));
        api.awaitRunning(waiting);
        try (SubmissionLoad load = SubmissionLoad.start(() -> api)) {
            load.awaitAccepted(50, LIMIT);
            JsonNode backup = createBackupBesideTheInterval(operator);
            // By the interval, older backups may be deleted meanwhile.
            Files.copy(Path.of(backup.path("path").asText()), kept);
        }
        assertBackupIsListedAndAudited(operator);
        String later = api.run(SubmissionBody.javascript("return 2")).path("id").asText();
        assertThat(restore(server, kept).exitCode())
                .as("the service is running")
                .isEqualTo(1);

        damage.run();

        restore(server, kept).expectExitCode(0);
        server.startProcess();
        server.awaitReady();
        assertThat(hasFile(server.dataDirectory(), "sallyport.mv.db.replaced-")).isTrue();
        assertThat(api.getExecution(ended).path("result").asInt()).isEqualTo(1);
        assertThat(api.get(RestClient.EXECUTIONS + "/" + later).status()).isEqualTo(404);
        assertEveryExecutionEnds(api, waiting);
    }

    private static void assertBackupIsListedAndAudited(RestClient api) {
        RestResponse list = api.get(BACKUPS).expectStatus(200);
        assertThat(OpenApiResponseValidator.of(api).validate("GET", BACKUPS, list))
                .isEmpty();
        assertThat(list.json().path("items")).isNotEmpty().hasSizeLessThanOrEqualTo(8);
        List<JsonNode> entries = api.listAll("/api/v1/audit?action=backup.create");
        assertThat(entries).anySatisfy(entry -> {
            assertThat(entry.path("result").asText()).isEqualTo("done");
            assertThat(entry.path("note").asText()).matches("sallyport-.*\\.zip");
        });
        assertThat(api.get("/metrics").expectStatus(200).text())
                .containsPattern("(?m)^sallyport_backup_last_success_seconds [1-9]");
    }

    private static void assertEveryExecutionEnds(RestClient api, String waiting) {
        Await.until("the execution that waits for an event continues", LIMIT, () -> {
            api.post("/api/v1/events", "{\"name\": \"go\", \"payload\": 3}").expectStatus(201);
            return RestClient.isFinished(api.getExecution(waiting));
        });
        assertThat(api.awaitEnd(waiting).path("result").asInt()).isEqualTo(3);
        Await.until(
                "every execution of the backup has ended",
                LIMIT,
                () -> api.listExecutionIds(execution -> !RestClient.isFinished(execution))
                        .isEmpty());
    }
}
