package org.sallyport.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Submission;

/** One of each of a tenant's things, so that an address of one is the address of something. */
final class OneOfEach {
    /** What takes a receiver or a broker that gives up. */
    private static final Set<String> NOT_HERE = Set.of(
            "/api/v1/executions/{id}/callback",
            "/api/v1/executions/{id}/callback/replay",
            "/api/v1/dead-letters/{id}/replay",
            // One that was decided meanwhile has no links any more.
            "/api/v1/approvals/{id}/links/{link}",
            // There is one to be taken back if there are tokens.
            "/api/v1/blocked-subjects/{id}");

    private final Api owner;
    private final Api approver;
    /** What stands in the place of the braces behind a prefix. */
    private final Map<String, String> ids = new HashMap<>();

    OneOfEach(Api owner, Api approver) {
        this.owner = owner;
        this.approver = approver;
        String name = "n" + UUID.randomUUID().toString().substring(0, 8);
        String execution = make("/api/v1/executions", "{\"code\": \"await artifacts.write('a.txt', 'a'); return 1\"}");
        ids.put("/executions/{id}", execution);
        ids.put("/artifacts/{name}", "a.txt");
        ids.put("/batches/{id}", make("/api/v1/batches", "{\"items\": [{\"code\": \"return 1\"}]}"));
        ids.put("/api-keys/{id}", make("/api/v1/api-keys", "{\"name\": \"spare\", \"roles\": [\"auditor\"]}"));
        ids.put("/schedules/{id}", make("/api/v1/schedules", """
                        {"name": "%s", "everyMillis": 86400000, "run": {"code": "return 1"}}""".formatted(name)));
        make("/api/v1/secrets", "{\"name\": \"" + name + "\", \"value\": \"0123456789\"}");
        ids.put("/secrets/{name}", name);
        make("/api/v1/capabilities", """
                {"name": "%s", "version": "1.0.0", "code": "return 1"}""".formatted(name));
        ids.put("/capabilities/{name}", name);
        ids.put("/versions/{version}", "1.0.0");
        owner.run(Submission.javascript("return '" + name + "'").with("cacheAs", '"' + name + '"'));
        ids.put("/scripts/{name}", name);
        ids.put(
                "/plans/{id}",
                owner.run(Submission.javascript("return await demo.add({ a: 1, b: 1 })")
                                .with("dryRun", "true"))
                        .path("id")
                        .asText());
        ids.put(
                "/tests/{id}",
                make(
                        "/api/v1/tests",
                        Json.write(Json.object()
                                .put("code", "export const one = () => 1;")
                                .put("tests", "test('one', () => assert.is(1, 1));"))));
        ask();
        owner.awaitEnd(execution);
    }

    private String make(String path, String body) {
        Answer made = owner.post(path, body);
        if (made.status() / 100 != 2) {
            throw new AssertionError("nothing was made at " + path + ": " + made);
        }
        // A report of tests is named by the execution that ran them.
        return made.json().path(path.endsWith("/tests") ? "execution" : "id").asText();
    }

    private void ask() {
        String asking = owner.submit(
                Submission.javascript("await demo.send_mail({ to: 'ada', subject: 's', body: 'b' }).catch(() => 0)"));
        String approvals = "/api/v1/approvals";
        String approval = Await.value("somebody is asked", Duration.ofSeconds(120), () -> {
            for (JsonNode each : owner.get(approvals).expect(200).json().path("items")) {
                if (each.path("execution").asText().equals(asking)) {
                    return Optional.of(each.path("id").asText());
                }
            }
            return Optional.empty();
        });
        ids.put("/approvals/{id}", approval);
        ids.put(
                "/links/{link}",
                approver.post(approvals + "/" + approval + "/links", "{}")
                        .expect(201)
                        .json()
                        .path("id")
                        .asText());
    }

    /** The address of one, as far as the path is that of one of these. */
    String address(String path) {
        String address = path;
        for (Map.Entry<String, String> id : ids.entrySet()) {
            String prefix = id.getKey().substring(0, id.getKey().indexOf('{'));
            address = address.replace(id.getKey(), prefix + id.getValue());
        }
        return address.endsWith("/diff") ? address + "?with=" + ids.get("/executions/{id}") : address;
    }

    /** Whether there is something at the {@link #address} of the path. */
    boolean has(String path) {
        return !NOT_HERE.contains(path) && !address(path).contains("{");
    }
}
