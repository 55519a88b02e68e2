package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.cli.api.Json;

/** With {@code --json} standard output is one JSON document, and nothing of a key but where a key was asked for. */
class JsonEverywhereTest {
    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        sallyport.variables.put("HOME", directory.toString());
        Files.writeString(directory.resolve("a.js"), "return 1");
        Files.writeString(directory.resolve("a.ndjson"), "{}\n");
        service.stage("COMPLETED", "'result':1");
        for (String request : new String[] {
            "GET /api/v1/executions",
            "GET /api/v1/executions/x/diff",
            "GET /api/v1/approvals",
            "POST /api/v1/approvals/x/approve",
            "POST /api/v1/approvals/x/deny",
            "GET /api/v1/plans/x",
            "POST /api/v1/plans/x/approve",
            "GET /api/v1/tools",
            "GET /api/v1/backends",
            "GET /api/v1/backends/x",
            "POST /api/v1/backends",
            "POST /api/v1/backends/x/restart",
            "POST /api/v1/backends/x/tools/y/accept",
            "DELETE /api/v1/backends/x",
            "GET /api/v1/api-keys",
            "POST /api/v1/api-keys",
            "DELETE /api/v1/api-keys/x",
            "GET /api/v1/secrets",
            "GET /api/v1/schedules",
            "DELETE /api/v1/secrets/x",
            "GET /api/v1/capabilities",
            "POST /api/v1/capabilities",
            "GET /api/v1/capabilities/x",
            "POST /api/v1/capabilities/x/versions/1.0.0/deprecate",
            "POST /api/v1/tests"
        }) {
            service.answer(request, 200, "{\"items\":[],\"id\":\"x\",\"success\":true}");
        }
        String batch = "{\"id\":\"b\",\"total\":1,\"refused\":0,\"finished\":true,\"counts\":{\"COMPLETED\":1}}";
        service.answer("POST /api/v1/batches", 202, batch);
        service.answer("GET /api/v1/batches/b/results", 200, "{\"index\":0}\n");
        service.answer("GET /api/v1/executions/" + FakeService.ID + "/code", 200, "{\"code\":\"return 1\"}");
    }

    @AfterEach
    void close() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run a.js",
                "submit a.js",
                "batch a.ndjson",
                "batch a.ndjson --no-wait",
                "test a.js a.js",
                "capability publish x@1.0.0 a.js",
                "capability list",
                "capability show x",
                "capability deprecate x@1.0.0",
                "show ID",
                "show ID --code",
                "list",
                "trace ID",
                "rerun old",
                "diff x y",
                "cancel ID",
                "approvals",
                "approve x",
                "deny x",
                "plan x",
                "plan x --approve",
                "tools",
                "backends",
                "backends show x",
                "backends add x --kind http --settings {}",
                "backends restart x",
                "backends accept x y z",
                "backends remove x",
                "schedules",
                "secrets",
                "secrets delete x",
                "keys",
                "keys create n --role submitter",
                "keys delete x",
                "down",
                "status",
                "logs",
                "logs ID",
                "profile",
                "profile set n --url http://n.example",
                "completion bash"
            })
    void standardOutputIsOneDocument(String words) throws Exception {
        String[] arguments = (words.replace("ID", FakeService.ID) + " --json").split(" ", -1);

        int exit = sallyport.run(arguments);

        assertThat(exit).as(sallyport.err()).isZero();
        assertThat(Json.parse(sallyport.out()).isContainerNode())
                .as(Arrays.toString(arguments) + sallyport.out())
                .isTrue();
        assertThat(sallyport.out()).doesNotContain(FakeService.KEY);
    }
}
