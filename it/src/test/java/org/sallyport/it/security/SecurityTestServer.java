package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;

/**
 * A running service with canaries in its environment, its properties, its files, its heap, and in the data and
 * executions of another tenant.
 *
 * @param api client of the tenant that attacks and to which the victim belongs
 * @param otherApi client of another tenant, to which the bystander belongs
 */
record SecurityTestServer(
        SandboxMode mode, SallyportServer server, RestClient api, RestClient otherApi, LeakDetector leakDetector)
        implements AutoCloseable {
    private static final String CANARY_KEY = "account";

    /** Starts a service and plants all canaries. Returns when the service is ready. */
    static SecurityTestServer start(SandboxMode mode) {
        LeakDetector canaries = new LeakDetector();
        ServerSetup fresh = ServerSetup.create("hostile-" + mode.settingValue()).withShippedOptions();
        SallyportServer server = fresh.with("sallyport.sandbox.mode", mode.settingValue())
                // Allows this test process to add a key while the server runs. Gives no access to anything else.
                .with("sallyport.db.url", ApiKeyInserter.sharedDatabaseUrl(fresh.dataDirectory()))
                .with("h2.bindAddress", "127.0.0.1")
                .with("account.token", canaries.plantCanary("property"))
                .withEnvironment("ACCOUNT_TOKEN", canaries.plantCanary("environment"))
                .start();
        SecurityTestServer arena = new SecurityTestServer(
                mode,
                server,
                server.api(),
                server.api().withKey(ApiKeyInserter.insertForeign(server.dataDirectory())),
                canaries);
        arena.plantCanaries();
        return arena;
    }

    /** A server that other tests use, too, with no canaries but its key and the data directory. */
    static SecurityTestServer of(SallyportServer server, TestTenant attacker, TestTenant other) {
        LeakDetector canaries = new LeakDetector();
        canaries.watchSecret("admin.key", server.adminKey());
        canaries.addInternalWord(server.dataDirectory().toString());
        return new SecurityTestServer(SandboxMode.WORKER, server, attacker.api(), other.api(), canaries);
    }

    private void plantCanaries() {
        leakDetector.watchSecret("admin.key", server.adminKey());
        leakDetector.addInternalWord(server.dataDirectory().toString());
        leakDetector.addInternalWord(CheckoutPaths.root().toString());
        leakDetector.addInternalWord(System.getProperty("java.home"));
        try {
            Files.writeString(server.dataDirectory().resolve("account.txt"), leakDetector.plantCanary("file"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String stored = leakDetector.plantCanary("stored");
        JsonNode kept = otherApi.run(canaryScript(
                        "console.log(args); await demo.kv_put({ key: '" + CANARY_KEY + "', value: args });"
                                + " await demo.counter_increment({ name: args }); return args;",
                        stored)
                .label("account", stored));
        if (!kept.path("result").asText().equals(stored)) {
            throw new AssertionError("the other tenant could not store its canary: " + kept);
        }
        String living = otherApi.submit(canaryScript(
                        "globalThis.secret = args; console.log('here', args); for (;;) await sleep('5s');",
                        leakDetector.plantCanary("heap"))
                .limit("wallMillis", 3_600_000));
        otherApi.awaitOutput(living, "here");
    }

    private static SubmissionBody canaryScript(String code, String canary) {
        return SubmissionBody.javascript(code)
                .args(TestJson.write(TestJson.array().add(canary).get(0)));
    }

    /** Runs a script to its end and returns the result that a caller sees. */
    AttackResult run(SubmissionBody submission) {
        var answer = api.send(api.submissionRequest(submission.json(), "Prefer", "wait=30"));
        if (answer.status() >= 400) {
            return AttackResult.of(answer);
        }
        return awaitResult(answer.json().path("id").asText());
    }

    /** Waits until an execution has ended and returns the result that a caller sees. */
    AttackResult awaitResult(String id) {
        return AttackResult.of(api.awaitEnd(id), api.getTrace(id).toString());
    }

    /** The data of the sandbox health check. */
    JsonNode sandboxHealth() {
        for (JsonNode check : api.get("/health/ready").json().path("checks")) {
            if (check.path("name").asText().equals("sandbox")) {
                return check.path("data");
            }
        }
        throw new AssertionError("the health has no check 'sandbox'");
    }

    @Override
    public void close() {
        server.close();
    }
}
