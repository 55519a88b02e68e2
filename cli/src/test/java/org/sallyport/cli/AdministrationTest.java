package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, backends and plans. */
class AdministrationTest {
    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private void answer(String request, int status, String json) {
        service.answer(request, status, json.replace('\'', '"'));
    }

    @Test
    void keysAreListedMadeAndDeleted() {
        answer(
                "GET /api/v1/api-keys",
                200,
                "{'items':[{'id':'k1','name':'night\\u001b[31mly','roles':['submitter','auditor']}],'next':null}");
        answer("POST /api/v1/api-keys", 201, "{'id':'k2','key':'sp_secret','name':'n','roles':['submitter']}");
        answer("DELETE /api/v1/api-keys/k%2F1", 204, "");

        assertThat(sallyport.run("keys")).isZero();
        assertThat(sallyport.out())
                .contains("k1", "submitter, auditor", "for ever")
                .doesNotContain("\u001b");
        assertThat(sallyport.run("keys", "create", "n", "--role", "submitter", "--for", "12h"))
                .isZero();
        assertThat(sallyport.out()).contains("sp_secret\n");
        assertThat(sallyport.run("keys", "delete", "k/1")).isZero();
        assertThat(service.requests).contains("DELETE /api/v1/api-keys/k%2F1");
        assertThat(sallyport.run("keys", "create", "n")).isEqualTo(Exit.USAGE.code());
        assertThat(sallyport.run("keys", "create", "n", "--role", "x", "--for", "soon"))
                .isEqualTo(Exit.USAGE.code());
    }

    @Test
    void backendsAreListedAddedRestartedAcceptedAndRemoved() {
        String one = "{'name':'files','kind':'mcp-stdio','enabled':true,'status':{'state':'starting','since':'s'},"
                + "'toolCount':3,'quarantinedCount':1}";
        answer("GET /api/v1/backends", 200, "{'items':[" + one + "],'next':null}");
        answer("GET /api/v1/backends/files", 200, one);
        answer("POST /api/v1/backends", 201, one);
        answer("POST /api/v1/backends/files/restart", 202, one);
        answer("POST /api/v1/backends/files/tools/read/accept", 200, one);
        answer("DELETE /api/v1/backends/files", 204, "");

        assertThat(sallyport.run("backends")).isZero();
        assertThat(sallyport.out()).contains("files", "mcp-stdio", "starting", "3", "1");
        assertThat(sallyport.run("backends", "show", "files")).isZero();
        assertThat(sallyport.run(
                        "backends", "add", "files", "--kind", "mcp-stdio", "--settings", "{\"command\":\"c\"}"))
                .isZero();
        assertThat(sallyport.run("backends", "restart", "files")).isZero();
        assertThat(sallyport.run("backends", "accept", "files", "read", "abc")).isZero();
        assertThat(sallyport.run("backends", "remove", "files")).isZero();
        assertThat(sallyport.err()).contains("files is starting", "Removed.");
        assertThat(sallyport.run("backends", "add", "files")).isEqualTo(Exit.USAGE.code());
    }

    @Test
    void everyCommandExplainsItself() {
        for (String command : List.of(
                "keys create",
                "keys delete",
                "backends add",
                "backends accept",
                "capability publish",
                "capability list")) {
            String[] words = (command + " --help").split(" ", -1);
            assertThat(sallyport.run(words)).as(command).isZero();
            assertThat(sallyport.out()).contains("Usage: sallyport " + command);
        }
    }

    @Test
    void aPlanIsShownAndApproved() {
        answer(
                "GET /api/v1/plans/p1",
                200,
                "{'id':'p1','state':'COMPLETED','approvable':true,'effects':[{'call':2,'tool':'b.t',"
                        + "'args':{'a':1},'rule':'default/ask-destructive','asks':true}]}");
        answer("POST /api/v1/plans/p1/approve", 202, "{'id':'e2','state':'PENDING'}");

        assertThat(sallyport.run("plan", "p1")).isZero();
        assertThat(sallyport.out()).contains("2  b.t {\"a\":1}", "people are asked: default/ask-destructive");
        assertThat(sallyport.err()).contains("sallyport plan p1 --approve");
        assertThat(sallyport.run("plan", "p1", "--approve")).isZero();
        assertThat(sallyport.out()).contains("e2");
    }
}
