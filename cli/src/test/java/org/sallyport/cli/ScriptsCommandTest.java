package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.api.ApiJson;

class ScriptsCommandTest {
    private static final String SCRIPTS = "GET /api/v1/scripts";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws Exception {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("fees.js"), "return 1\n");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void savedScriptsAreListedPageByPage() {
        service.answer(SCRIPTS, 200, """
                {"items":[{"name":"fees.add","language":"javascript","usedAt":"2026-06-08T18:00:00Z",
                 "description":"Adds\\na fee\\u001b"}],"next":"c2"}""");

        assertThat(sallyport.run("scripts", "list", "fee", "--limit", "1", "--cursor", "c1"))
                .isZero();

        assertThat(sallyport.out())
                .contains("NAME", "LAST USE")
                .contains("fees.add  javascript  2026-06-08T18:00:00Z  Adds a fee")
                .doesNotContain("\u001b");
        assertThat(sallyport.err()).contains("More: --cursor c2");
        assertThat(service.requests)
                .anyMatch(request -> request.startsWith(SCRIPTS + "?")
                        && request.contains("limit=1")
                        && request.contains("q=fee")
                        && request.contains("cursor=c1"));
    }

    @Test
    void listWithoutScriptsSaysHowToSaveOne() {
        service.answer(SCRIPTS, 200, "{\"items\":[],\"next\":null}");

        assertThat(sallyport.run("scripts", "list")).isZero();

        assertThat(sallyport.out()).isEmpty();
        assertThat(sallyport.err()).contains("sallyport scripts save");
    }

    @Test
    void codeOfASavedScriptIsPrinted() {
        service.answer(SCRIPTS + "/fees.add", 200, """
                {"name":"fees.add","language":"javascript","hash":"sha256-1","code":"return 1"}""");

        assertThat(sallyport.run("scripts", "show", "fees.add")).isZero();

        assertThat(sallyport.out()).isEqualTo("return 1\n");
        assertThat(sallyport.err()).contains("sha256-1");
    }

    @Test
    void savingRunsTheScriptAndPrintsItsName() {
        service.stage("COMPLETED", "'cachedName':'fees-12345678','result':1");

        assertThat(sallyport.run("scripts", "save", "fees.js", "--no-trace")).isZero();

        assertThat(ApiJson.compact(service.submissions.get(0)))
                .isEqualTo("{\"code\":\"return 1\\n\",\"language\":\"javascript\",\"cacheAs\":\"auto\"}");
        assertThat(sallyport.err()).contains("Saved as fees-12345678");
    }

    @Test
    void nameOfASavedScriptIsSent() {
        service.stage("COMPLETED", "");

        assertThat(sallyport.run("scripts", "save", "fees.js", "--name", "fees.add", "--priority", "7"))
                .isZero();
        assertThat(sallyport.run("run", "fees.js", "--cache-as", "auto")).isZero();
        assertThat(sallyport.run("submit", "fees.js", "--cache-as", "fees.b")).isZero();

        assertThat(service.submissions)
                .extracting(body -> body.path("cacheAs").asText())
                .containsExactly("fees.add", "auto", "fees.b");
        assertThat(service.submissions.get(0).path("priority").asInt()).isEqualTo(7);
        assertThat(sallyport.err()).doesNotContain("Saved as");
    }

    @Test
    void savedScriptRunsByItsNameWithTheOptionsOfRun() {
        service.stage("COMPLETED", "'cached':'fees.add','cachedName':'fees.add','result':3");

        assertThat(sallyport.run(
                        "scripts",
                        "run",
                        "fees.add",
                        "--args",
                        "{\"price\":2}",
                        "--integrity",
                        "sha256-1",
                        "--idempotency-key",
                        "k1",
                        "-q"))
                .isZero();

        assertThat(sallyport.out()).isEqualTo("3\n");
        assertThat(service.idempotencyKeys).containsExactly("k1");
        assertThat(ApiJson.compact(service.submissions.get(0)))
                .isEqualTo("{\"cached\":\"fees.add\",\"integrity\":\"sha256-1\",\"args\":{\"price\":2}}");
        assertThat(sallyport.err()).doesNotContain("Saved as");
    }

    @Test
    void missingScriptIsRefused() {
        var problem = FakeService.problem(404, "not-found", "Not found", "there is no script 'no'");
        service.answer("POST /api/v1/executions", 404, problem.body());

        assertThat(sallyport.run("scripts", "run", "no")).isEqualTo(ExitCode.REFUSED.code());

        assertThat(sallyport.err()).contains("there is no script 'no'");
    }

    @Test
    void savedScriptIsDeleted() {
        service.answer("DELETE /api/v1/scripts/fees.add", 204, "");

        assertThat(sallyport.run("scripts", "delete", "fees.add")).isZero();

        assertThat(service.requests).contains("DELETE /api/v1/scripts/fees.add");
        service.answer(SCRIPTS, 200, "{\"items\":[],\"next\":null}");
        assertThat(sallyport.run("scripts")).isZero();
    }
}
