package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.cli.api.ApiJson;

/** With {@code --json}, standard output is one JSON document, which contains a key only if the user requested one. */
class JsonOutputTest {
    private static final List<String> ROWS = List.of(
            "run a.js",
            "submit a.js",
            "batch a.ndjson",
            "batch a.ndjson --no-wait",
            "test a.js a.js",
            "capability publish x@1.0.0 a.js",
            "capability promote x y@1.0.0",
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
            "cancel --state pending",
            "delete d",
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
            "batches",
            "batches list",
            "batches show b",
            "batches cancel b",
            "batches retry b",
            "batches results b",
            "schedules",
            "schedules list",
            "schedules create a.js --name x --every 1h",
            "schedules pause x",
            "schedules resume x",
            "schedules rows x a.ndjson",
            "schedules run x",
            "schedules delete x",
            "scripts",
            "scripts list",
            "scripts show x",
            "scripts save a.js",
            "scripts run x",
            "scripts delete x",
            "secrets",
            "secrets list",
            "secrets set x",
            "secrets delete x",
            "events emit x --payload 1",
            "events follow --count 1",
            "webhooks",
            "webhooks list",
            "webhooks create n --event e",
            "webhooks enable x",
            "webhooks disable x",
            "webhooks delete x",
            "variables",
            "variables list",
            "variables set x",
            "variables delete x",
            "tenants",
            "keys",
            "keys create n --role submitter",
            "keys delete x",
            "keys grants x demo.*",
            "down",
            "backup",
            "backup list",
            "restore a.zip",
            "status",
            "logs",
            "logs ID",
            "profile",
            "profile set n --url http://n.example",
            "profile remove old",
            "completion bash");

    /** Starts a real service, so another test covers its output. */
    private static final String STARTING_COMMAND = "sallyport up";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        sallyport = fixture().withInput("value");
        fixture().run("profile", "set", "old", "--url", "http://old.example");
        Files.writeString(directory.resolve("a.js"), "return 1");
        Files.writeString(directory.resolve("a.ndjson"), "{}\n");
        RestoreCommandTest.writeBackup(directory.resolve("a.zip"), "sallyport.mv.db", "H:2,");
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
            "PUT /api/v1/api-keys/x/grants",
            "GET /api/v1/secrets",
            "GET /api/v1/inbound-webhooks",
            "POST /api/v1/inbound-webhooks",
            "POST /api/v1/inbound-webhooks/x/enable",
            "POST /api/v1/inbound-webhooks/x/disable",
            "DELETE /api/v1/inbound-webhooks/x",
            "GET /api/v1/variables",
            "DELETE /api/v1/variables/x",
            "PUT /api/v1/variables/x",
            "GET /api/v1/tenants",
            "GET /api/v1/backups",
            "POST /api/v1/backups",
            "DELETE /api/v1/secrets/x",
            "PUT /api/v1/secrets/x",
            "POST /api/v1/schedules",
            "POST /api/v1/schedules/x/pause",
            "POST /api/v1/schedules/x/resume",
            "POST /api/v1/schedules/x/run",
            "PUT /api/v1/schedules/x/rows",
            "DELETE /api/v1/schedules/x",
            "GET /api/v1/scripts",
            "GET /api/v1/scripts/x",
            "DELETE /api/v1/scripts/x",
            "GET /api/v1/capabilities",
            "POST /api/v1/capabilities",
            "POST /api/v1/executions/x/capability",
            "GET /api/v1/capabilities/x",
            "POST /api/v1/capabilities/x/versions/1.0.0/deprecate",
            "POST /api/v1/tests"
        }) {
            service.answer(request, 200, "{\"items\":[],\"id\":\"x\",\"success\":true}");
        }
        service.answer("POST /api/v1/executions/cancel", 200, "{\"matches\":1,\"next\":null}");
        service.answer("DELETE /api/v1/executions/d", 204, "");
        service.answer("POST /api/v1/events", 201, "{\"seq\":1}");
        service.answer(
                "GET /api/v1/events",
                200,
                "id: 1\nevent: event\ndata: {\"seq\":1,\"name\":\"x\",\"payload\":null}\n\n");
        service.answer("GET /api/v1/schedules", 200, "{\"items\":[{\"id\":\"x\",\"name\":\"x\"}]}");
        String batch = "{\"id\":\"b\",\"total\":1,\"refused\":0,\"finished\":true,\"counts\":{\"COMPLETED\":1}}";
        service.answer("POST /api/v1/batches", 202, batch);
        service.answer("GET /api/v1/batches?limit=25", 200, "{\"items\":[" + batch + "],\"next\":null}");
        service.answer("GET /api/v1/batches/b", 200, batch);
        service.answer("POST /api/v1/batches/b/cancel", 202, batch);
        service.answer("POST /api/v1/batches/b/retry", 202, batch);
        service.answer("GET /api/v1/batches/b/results", 200, "{\"index\":0}\n");
        service.answer("GET /api/v1/executions/" + FakeService.ID + "/code", 200, "{\"code\":\"return 1\"}");
    }

    private CommandLineFixture fixture() {
        CommandLineFixture fixture = new CommandLineFixture(directory, service);
        fixture.variables.put("HOME", directory.toString());
        return fixture;
    }

    @AfterEach
    void close() {
        service.close();
    }

    static List<String> rows() {
        return ROWS;
    }

    @Test
    void everyCommandHasATestRow() {
        Set<String> commands = CommandRegistryTest.executableCommandNames();

        assertThat(commands.remove(STARTING_COMMAND)).isTrue();
        Set<String> shown =
                ROWS.stream().map(CommandRegistryTest::commandNameOf).collect(Collectors.toCollection(TreeSet::new));
        assertThat(shown).isEqualTo(commands);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void standardOutputIsOneDocument(String words) throws Exception {
        String[] arguments = (words.replace("ID", FakeService.ID) + " --json").split(" ", -1);

        int exit = sallyport.run(arguments);

        assertThat(exit).as(sallyport.err()).isZero();
        assertThat(ApiJson.parse(sallyport.out()).isContainerNode())
                .as(Arrays.toString(arguments) + sallyport.out())
                .isTrue();
        assertThat(sallyport.out()).doesNotContain(FakeService.KEY);
    }
}
