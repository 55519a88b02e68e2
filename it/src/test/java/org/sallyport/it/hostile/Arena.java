package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;

/**
 * A running service with canaries in its environment, its properties, its files, its heap, and in what another tenant has
 * stored and runs.
 *
 * @param api the tenant that attacks, and that the victim belongs to
 * @param other another tenant
 */
record Arena(Mode mode, SallyportServer server, Api api, Api other, Canaries canaries) implements AutoCloseable {
    private static final String CANARY_KEY = "account";

    /** Starts a service and plants everything; returns when it is ready. */
    static Arena open(Mode mode) {
        Canaries canaries = new Canaries();
        ServerSetup fresh = ServerSetup.fresh("hostile-" + mode.setting());
        SallyportServer server = fresh.with("sallyport.sandbox.mode", mode.setting())
                // Other processes on this machine may so add a key while it runs; nothing else is reached by it.
                .with("sallyport.db.url", StoredKeys.liveUrl(fresh.data()))
                .with("h2.bindAddress", "127.0.0.1")
                .with("account.token", canaries.plant("property"))
                .withEnvironment("ACCOUNT_TOKEN", canaries.plant("environment"))
                .start();
        Arena arena = new Arena(
                mode, server, server.api(), server.api().as(StoredKeys.addForeignLive(server.data())), canaries);
        arena.plant();
        return arena;
    }

    private void plant() {
        canaries.watch("admin.key", server.adminKey());
        canaries.insider(server.data().toString());
        canaries.insider(Checkout.home().toString());
        canaries.insider(System.getProperty("java.home"));
        try {
            Files.writeString(server.data().resolve("account.txt"), canaries.plant("file"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String stored = canaries.plant("stored");
        JsonNode kept = other.run(canary(
                        "console.log(args); await demo.kv_put({ key: '" + CANARY_KEY + "', value: args });"
                                + " await demo.counter_increment({ name: args }); return args;",
                        stored)
                .label("account", stored));
        if (!kept.path("result").asText().equals(stored)) {
            throw new AssertionError("the other tenant could not store its canary: " + kept);
        }
        String living = other.submit(canary(
                        "globalThis.secret = args; console.log('here', args); for (;;) await sleep('5s');",
                        canaries.plant("heap"))
                .limit("wallMillis", 3_600_000));
        other.awaitOutput(living, "here");
    }

    private static Submission canary(String code, String canary) {
        return Submission.javascript(code)
                .args(Json.write(Json.array().add(canary).get(0)));
    }

    /** Runs a script to its end and shows what a caller sees of it. */
    Sighting run(Submission submission) {
        var answer = api.send(api.submission(submission.json(), "Prefer", "wait=30"));
        if (answer.status() >= 400) {
            return Sighting.of(answer);
        }
        return sighting(answer.json().path("id").asText());
    }

    /** What a caller sees of an execution once it has ended. */
    Sighting sighting(String id) {
        return Sighting.of(api.awaitEnd(id), api.trace(id).toString());
    }

    /** What the health says of the sandbox. */
    JsonNode sandbox() {
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
