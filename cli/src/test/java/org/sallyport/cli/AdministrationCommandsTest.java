package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands for keys, backends, schedules, secrets, variables, webhooks, tenants and plans. */
class AdministrationCommandsTest {
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
    void keysAreListedCreatedAndDeleted() {
        answer(
                "GET /api/v1/api-keys",
                200,
                "{'items':[{'id':'k1','name':'night\\u001b[31mly','roles':['submitter','auditor'],"
                        + "'grants':['demo.clock*','demo.kv*'],'lastUsedAt':'2026-06-08T15:00:45Z'},"
                        + "{'id':'k0','name':'new','roles':['auditor'],'grants':['*']}],'next':null}");
        answer("POST /api/v1/api-keys", 201, "{'id':'k2','key':'sp_secret','name':'n','roles':['submitter']}");
        answer("DELETE /api/v1/api-keys/k%2F1", 204, "");

        assertThat(sallyport.run("keys")).isZero();
        assertThat(sallyport.out())
                .contains(
                        "k1", "submitter, auditor", "demo.clock*, demo.kv*", "2026-06-08T15:00:45Z", "EXPIRES", "never")
                .doesNotContain("\u001b");
        assertThat(sallyport.run("keys", "create", "n", "--role", "submitter", "--grant", "demo.*", "--for", "12h"))
                .isZero();
        assertThat(sallyport.out()).contains("sp_secret\n");
        answer(
                "PUT /api/v1/api-keys/k%2F1/grants",
                200, "{'id':'k/1','name':'n','roles':[],'grants':['demo.*','kv.get']}");
        assertThat(sallyport.run("keys", "grants", "k/1", "demo.*", "kv.get")).isZero();
        assertThat(sallyport.run("keys", "grants", "k/1")).isZero();
        assertThat(service.bodies).contains("{\"grants\":[\"demo.*\",\"kv.get\"]}", "{\"grants\":[]}");
        assertThat(sallyport.err()).contains("The key grants only these tools now.", "The key grants no tool now.");
        assertThat(sallyport.run("keys", "delete", "k/1")).isZero();
        assertThat(service.requests).contains("DELETE /api/v1/api-keys/k%2F1");
        assertThat(sallyport.run("keys", "create", "n")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("keys", "create", "n", "--role", "x", "--for", "soon"))
                .isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void backendsAreListedAddedRestartedAcceptedAndRemoved() {
        String one = "{'name':'files','kind':'mcp-stdio','enabled':true,'status':{'state':'starting','since':'s'},"
                + "'breaker':{'state':'probing','until':'u'},"
                + "'latency':{'calls':7,'p50Millis':4.4159,'p95Millis':8,'p99Millis':61.439},'toolCount':3,"
                + "'quarantinedCount':1,'unusableCount':2}";
        answer("GET /api/v1/backends", 200, "{'items':[" + one + "],'next':null}");
        answer("GET /api/v1/backends/files", 200, one);
        answer("POST /api/v1/backends", 201, one);
        answer("POST /api/v1/backends/files/restart", 202, one);
        answer("POST /api/v1/backends/files/tools/read/accept", 200, one);
        answer("DELETE /api/v1/backends/files", 204, "");

        assertThat(sallyport.run("backends")).isZero();
        assertThat(sallyport.out())
                .contains("UNUSABLE", "files", "mcp-stdio", "probing", "3", "1", "2", " 4.4 ", " 61.4 ");
        assertThat(sallyport.run("backends", "show", "files")).isZero();
        assertThat(sallyport.run(
                        "backends", "add", "files", "--kind", "mcp-stdio", "--settings", "{\"command\":\"c\"}"))
                .isZero();
        assertThat(sallyport.run("backends", "restart", "files")).isZero();
        assertThat(sallyport.run("backends", "accept", "files", "read", "abc")).isZero();
        assertThat(sallyport.run("backends", "remove", "files")).isZero();
        assertThat(sallyport.err()).contains("files is starting", "Removed.");
        assertThat(sallyport.run("backends", "add", "files")).isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void schedulesAreListedCreatedPausedResumedRunAndDeleted() throws IOException {
        String one = "{'id':'s/1','name':'nightly','cron':'0 3 * * *','zone':'UTC','paused':false,'nextAt':'soon',"
                + "'submittedBy':'key-7','delayReason':'no sandbox\\u001b','lastRun':{'state':'FAILED'}}";
        String other = "{'id':'s2','name':'often','everyMillis':30000,'paused':true,'pauseReason':'no\\u001b key'}";
        answer("GET /api/v1/schedules", 200, "{'items':[" + one + "," + other + "],'next':null}");
        answer("POST /api/v1/schedules", 201, one);
        answer("POST /api/v1/schedules/s%2F1/pause", 200, other);
        answer("POST /api/v1/schedules/s%2F1/resume", 200, one);
        answer("POST /api/v1/schedules/s%2F1/run", 202, "{'id':'e1','state':'PENDING'}");
        answer("DELETE /api/v1/schedules/s2", 204, "");
        Path script = Files.writeString(directory.resolve("report.js"), "return 1");

        assertThat(sallyport.run("schedules")).isZero();
        assertThat(sallyport.out())
                .contains("nightly", "0 3 * * * UTC", "soon", "FAILED", "key-7", "every 30 s", "paused");
        assertThat(sallyport.err())
                .contains("often is paused: no", "nightly cannot run now: no sandbox")
                .doesNotContain("\u001b");
        assertThat(sallyport.run(
                        "schedules",
                        "create",
                        script.toString(),
                        "--name",
                        "nightly",
                        "--every",
                        "6h",
                        "--overlap",
                        "queue"))
                .isZero();
        assertThat(sallyport.run("schedules", "pause", "nightly")).isZero();
        assertThat(sallyport.run("schedules", "resume", "s/1")).isZero();
        assertThat(sallyport.run("schedules", "run", "nightly")).isZero();
        assertThat(sallyport.out()).contains("e1");
        assertThat(sallyport.run("schedules", "delete", "often")).isZero();
        assertThat(sallyport.run("schedules", "delete", "unknown")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("schedules", "create", script.toString(), "--name", "n", "--every", "soon"))
                .isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void schedulesOfRowsAreCreatedWithTheirFileAndRun() throws IOException {
        String one = "{'id':'s1','name':'refunds','cron':'@daily','zone':'UTC','paused':false,'nextAt':'soon',"
                + "'batch':{'capability':'shop.refund'},'lastBatch':{'batch':'b0','at':'t','total':2,'refused':1}}";
        answer("GET /api/v1/schedules", 200, "{'items':[" + one + "],'next':null}");
        answer("POST /api/v1/schedules", 201, one);
        answer("POST /api/v1/schedules/s1/resume", 200, one);
        answer(
                "PUT /api/v1/schedules/s1/rows",
                200,
                "{'total':2,'refused':1,'problems':[{'index':1,'problem':{'detail':'no\\u001b price',"
                        + "'sourceLine':3}}]}");
        answer("POST /api/v1/schedules/s1/batches", 202, "{'id':'b1'}");
        Path rows = Files.writeString(directory.resolve("orders.csv"), "price\n1\nx\n");
        String[] create = {
            "schedules",
            "create",
            "--name",
            "refunds",
            "--cron",
            "@daily",
            "--capability",
            "shop.refund@1.0.0",
            "--max-parallel",
            "4",
            "--stop",
            "--rows",
            rows.toString()
        };

        assertThat(sallyport.run(create)).isZero();
        assertThat(service.bodies)
                .containsExactly(
                        "{\"name\":\"refunds\",\"cron\":\"@daily\",\"paused\":true,"
                                + "\"batch\":{\"capability\":\"shop.refund\","
                                + "\"version\":\"1.0.0\",\"maxParallel\":4,\"onFailure\":\"stop\"}}",
                        "price\n1\nx\n",
                        "{}");
        assertThat(sallyport.err())
                .contains("Line 3 would be refused: no", "2 rows are stored; 1 of them would be refused.")
                .doesNotContain("\u001b");
        assertThat(sallyport.run("schedules")).isZero();
        assertThat(sallyport.out()).contains("2 rows");
        assertThat(sallyport.run("schedules", "rows", "refunds", rows.toString()))
                .isZero();
        assertThat(sallyport.run("schedules", "run", "refunds")).isZero();
        assertThat(sallyport.err()).contains("sallyport batch --follow b1");

        answer("PUT /api/v1/schedules/s1/rows", 422, "{'type':'urn:sallyport:problem:batch-refused','status':422}");
        answer("DELETE /api/v1/schedules/s1", 204, "");
        assertThat(sallyport.run(create)).isEqualTo(ExitCode.REFUSED.code());
        assertThat(service.requests).contains("DELETE /api/v1/schedules/s1");

        answer("DELETE /api/v1/schedules/s1", 500, "{'type':'urn:sallyport:problem:internal-error','status':500}");
        assertThat(sallyport.run(create)).as("the first failure is reported").isEqualTo(ExitCode.REFUSED.code());
        assertThat(sallyport.err()).contains("refunds may be left, and may run", "sallyport schedules delete s1");
    }

    @Test
    void optionsOfScriptsAreRefusedWithRows() throws IOException {
        Path rows = Files.writeString(directory.resolve("orders.csv"), "price\n1\n");
        for (List<String> option : List.of(
                List.of("--dry-run"),
                List.of("--grant", "shop.read*"),
                List.of("--timeout", "5s"),
                List.of("--label", "a=b"),
                List.of("--args", "{}"),
                List.of("--context", "{}"),
                List.of("--priority", "9"),
                List.of("--not-before", "2026-06-08T18:00:00Z"),
                List.of("--delay", "5s"),
                List.of("--deadline", "2026-06-08T18:00:00Z"),
                List.of("--concurrency-key", "k"),
                List.of("--debug", "profile"),
                List.of("--durability", "none"),
                List.of("--fixtures", "{}"),
                List.of("--idempotency-key", "k"),
                List.of("--language", "typescript"))) {
            List<String> words = new ArrayList<>(List.of("schedules", "create", "--name", "n", "--every", "6h"));
            words.addAll(List.of("--capability", "shop.refund", "--rows", rows.toString()));
            words.addAll(option);
            assertThat(sallyport.run(words.toArray(String[]::new)))
                    .as(option.toString())
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(sallyport.err()).contains("--rows takes no options of a script");
        }
        assertThat(service.requests).isEmpty();
    }

    @Test
    void deletedBatchOfAScheduleHasNoSize() {
        answer(
                "GET /api/v1/schedules",
                200,
                "{'items':[{'id':'s1','name':'refunds','cron':'@daily','zone':'UTC','batch':{'capability':'c'},"
                        + "'lastBatch':{'batch':'b0','at':'t'}}],'next':null}");
        assertThat(sallyport.run("schedules")).isZero();
        assertThat(sallyport.out()).contains("deleted").doesNotContain("0 rows");
    }

    @Test
    void scheduleNeedsAScriptOrRowsWithACapability() throws IOException {
        Path rows = Files.writeString(directory.resolve("orders.csv"), "price\n1\n");
        for (List<String> wrong : List.of(
                List.<String>of(),
                List.of("--capability", "c"),
                List.of("--rows", rows.toString()),
                List.of("--rows", rows.toString(), "--capability", "c", "--priority", "7"),
                List.of("--rows", rows.toString(), "--capability", "c", rows.toString()),
                List.of("--rows", rows + ".none", "--capability", "c"))) {
            List<String> words = new ArrayList<>(List.of("schedules", "create", "--name", "n", "--every", "6h"));
            words.addAll(wrong);
            assertThat(sallyport.run(words.toArray(String[]::new)))
                    .as(words.toString())
                    .isEqualTo(ExitCode.USAGE.code());
        }
        assertThat(service.requests).isEmpty();
    }

    @Test
    void secretsAreListedSetAndDeletedWithValuesOnlyFromInput() {
        String one = "{'name':'k','version':2,'createdAt':'c','createdBy':'a','changedAt':'t','changedBy':'a'}";
        answer("GET /api/v1/secrets", 200, "{'items':[" + one + "],'next':null}");
        answer("PUT /api/v1/secrets/k", 200, one);
        answer("PUT /api/v1/secrets/new", 404, "{'type':'urn:sallyport:problem:not-found','status':404}");
        answer("POST /api/v1/secrets", 201, "{'name':'new','version':1}");
        answer("DELETE /api/v1/secrets/k", 204, "");

        assertThat(sallyport.run("secrets", "list")).isZero();
        assertThat(sallyport.run("secrets")).isZero();
        assertThat(sallyport.out()).contains("k", "2", "never");
        assertThat(sallyport.withInput("hunter2-hunter2\n").run("secrets", "set", "k"))
                .isZero();
        assertThat(service.bodies).containsExactly("{\"value\":\"hunter2-hunter2\"}");
        assertThat(sallyport.withInput("hunter2-hunter2").run("secrets", "set", "new"))
                .isZero();
        assertThat(sallyport.err()).contains("k has version 2.", "new has version 1.");
        assertThat(sallyport.withInput("").run("secrets", "set", "k")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("secrets", "delete", "k")).isZero();
        assertThat(sallyport.out() + sallyport.err()).doesNotContain("hunter2");
        assertThat(sallyport.run("secrets", "set", "k", "value")).isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void webhooksAreListedCreatedDisabledAndDeleted() {
        String one = "{'id':'w1','name':'a\\u001bb','capability':'orders.import','version':'1.0.0','enabled':true}";
        String two = "{'id':'w2','name':'paid','event':'order.paid','enabled':false,"
                + "'lastUsedAt':'2026-06-08T15:00:45Z','lastResult':'emitted','path':'/hooks/secret-part'}";
        answer("GET /api/v1/inbound-webhooks", 200, "{'items':[" + one + "," + two + "],'next':null}");
        answer("POST /api/v1/inbound-webhooks", 201, two);
        answer("POST /api/v1/inbound-webhooks/w%2F1/enable", 200, one);
        answer("POST /api/v1/inbound-webhooks/w%2F1/disable", 200, two);
        answer("DELETE /api/v1/inbound-webhooks/w%2F1", 204, "");

        assertThat(sallyport.run("webhooks")).isZero();
        assertThat(sallyport.out())
                .contains("orders.import@1.0.0", "enabled", "never", "event order.paid", "disabled", "emitted")
                .doesNotContain("\u001b");
        assertThat(sallyport.run("webhooks", "create", "n", "--capability", "a.b@1.0.0", "--grant", "demo.*"))
                .isZero();
        assertThat(sallyport.out()).contains("/hooks/secret-part\n");
        assertThat(sallyport.run(
                        "webhooks",
                        "create",
                        "n",
                        "--event",
                        "e",
                        "--secret",
                        "s",
                        "--signature",
                        "body",
                        "--signature-header",
                        "X-S",
                        "--delivery-header",
                        "X-D"))
                .isZero();
        assertThat(service.bodies)
                .contains(
                        "{\"name\":\"n\",\"capability\":\"a.b\",\"version\":\"1.0.0\",\"grants\":[\"demo.*\"]}",
                        "{\"name\":\"n\",\"event\":\"e\",\"signature\":{\"secret\":\"s\",\"scheme\":\"body\","
                                + "\"header\":\"X-S\"},\"deliveryHeader\":\"X-D\"}");
        assertThat(sallyport.run("webhooks", "create", "n", "--event", "e", "--signature", "body"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("webhooks", "enable", "w/1")).isZero();
        assertThat(sallyport.run("webhooks", "disable", "w/1")).isZero();
        assertThat(sallyport.run("webhooks", "delete", "w/1")).isZero();
        assertThat(sallyport.err()).contains("Enabled.", "Disabled.", "Deleted.");
    }

    @Test
    void variablesAreListedSetAndDeleted() throws IOException {
        String plain = "{'name':'REGION','value':'eu\\u001b[31m-1','version':2,'changedAt':'t','changedBy':'a'}";
        String secret = "{'name':'KEY','secret':'weather-key','version':1,'changedAt':'t','changedBy':'a'}";
        answer("GET /api/v1/variables", 200, "{'items':[" + secret + "," + plain + "],'next':null}");
        answer("PUT /api/v1/variables/REGION", 200, plain);
        answer("PUT /api/v1/variables/KEY", 200, secret);
        answer("DELETE /api/v1/variables/KEY", 204, "");

        assertThat(sallyport.run("variables", "list")).isZero();
        assertThat(sallyport.run("variables")).isZero();
        assertThat(sallyport.out())
                .contains("REGION", "-1", "secret weather-key")
                .doesNotContain("\u001b");
        assertThat(sallyport.run("variables", "set", "REGION", "--value", "eu-1"))
                .isZero();
        Path file = Files.writeString(directory.resolve("region.txt"), "eu-2\n");
        assertThat(sallyport.run("variables", "set", "REGION", "--value", "@" + file))
                .isZero();
        assertThat(sallyport.withInput("eu-3\n").run("variables", "set", "REGION"))
                .isZero();
        assertThat(sallyport.run("variables", "set", "KEY", "--secret", "weather-key"))
                .isZero();
        assertThat(service.bodies)
                .containsExactly(
                        "{\"value\":\"eu-1\"}",
                        "{\"value\":\"eu-2\"}",
                        "{\"value\":\"eu-3\"}",
                        "{\"secret\":\"weather-key\"}");
        assertThat(sallyport.err()).contains("REGION has version 2.", "KEY has version 1.");
        assertThat(sallyport.run("variables", "set", "A", "--value", "@" + file + ".none"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("variables", "set", "A", "--value", "x", "--secret", "y"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("variables", "delete", "KEY")).isZero();
    }

    @Test
    void tenantsAreListedPageByPage() {
        String one =
                "{'tenant':'ac\\u001b[31mme','queued':3,'live':4,'apiKeys':2,'ownQuotas':true,'cost':12.5,'calls':40}";
        String other = "{'tenant':'quiet','queued':0,'live':0,'apiKeys':1,'ownQuotas':false,'cost':0,'calls':0}";
        answer("GET /api/v1/tenants?limit=50", 200, "{'items':[" + one + "],'next':'AbC-_'}");
        answer("GET /api/v1/tenants?cursor=AbC-_&limit=1", 200, "{'items':[" + other + "],'next':null}");

        assertThat(sallyport.run("tenants")).isZero();
        assertThat(sallyport.out().lines().toList().get(1)).contains("me", "3", "4", "2", "own", "12.5");
        assertThat(sallyport.out()).doesNotContain("\u001b");
        assertThat(sallyport.err()).contains("More: sallyport tenants --limit 50 --cursor AbC-_");
        assertThat(sallyport.run("tenants", "--limit", "1", "--cursor", "AbC-_"))
                .isZero();
        assertThat(sallyport.out()).contains("quiet", "default");
        assertThat(sallyport.err()).containsOnlyOnce("More:");

        answer(
                "GET /api/v1/tenants?limit=7",
                403,
                "{'type':'urn:sallyport:problem:forbidden','status':403,'detail':'what all tenants share'}");
        assertThat(sallyport.run("tenants", "--limit", "7")).isEqualTo(ExitCode.UNREACHABLE.code());
        assertThat(sallyport.err()).contains("what all tenants share");
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : List.of(
                "schedules list",
                "schedules create",
                "schedules pause",
                "schedules run",
                "keys create",
                "keys delete",
                "secrets set",
                "variables set",
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
        assertThat(sallyport.out()).contains("2  b.t {\"a\":1}", "needs approval: default/ask-destructive");
        assertThat(sallyport.err()).contains("sallyport plan p1 --approve");
        assertThat(sallyport.run("plan", "p1", "--approve")).isZero();
        assertThat(sallyport.out()).contains("e2");
    }

    @Test
    void backupsAreTakenAndListed() {
        String backup = "{'name':'b.zip','takenAt':'2026-06-08T15:00:45Z','bytes':42,'path':'/data/backups/b.zip'}";
        answer("POST /api/v1/backups", 201, backup);
        answer("GET /api/v1/backups", 200, "{'items':[" + backup + "],'next':null}");

        assertThat(sallyport.run("backup")).isZero();
        assertThat(sallyport.out()).isEqualTo("/data/backups/b.zip\n");
        assertThat(sallyport.run("backup", "list")).isZero();
        assertThat(sallyport.out()).contains("TAKEN", "2026-06-08T15:00:45Z  42     b.zip");
        assertThat(sallyport.err()).contains("Newest: /data/backups/b.zip");
    }

    @Test
    void backupThatIsRefusedOrFailsHasAnExitCode() {
        answer(
                "POST /api/v1/backups",
                409,
                "{'type':'urn:sallyport:problem:backup-running','title':'A backup is being taken','status':409,"
                        + "'detail':'another backup is being taken'}");
        assertThat(sallyport.run("backup")).isEqualTo(ExitCode.REFUSED.code());
        answer(
                "POST /api/v1/backups",
                500,
                "{'type':'urn:sallyport:problem:backup-failed','title':'The backup failed','status':500,"
                        + "'detail':'the disk is full'}");
        assertThat(sallyport.run("backup")).isEqualTo(ExitCode.UNREACHABLE.code());
        assertThat(sallyport.err()).contains("another backup is being taken", "the disk is full");
    }
}
