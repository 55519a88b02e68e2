package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Expendable;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;

/**
 * The service does what {@code docs/roles.md} says: each operation with a key of each role, of the own tenant and of another, with
 * none and with one that has expired.
 */
@ExtendWith(Servers.class)
class RolesIT {
    private static final String KEYS = "/api/v1/api-keys";

    private final SallyportServer server;

    RolesIT(@Expendable SallyportServer server) {
        this.server = server;
    }

    /** A row of the page. */
    private record Operation(String method, String path, Map<String, Boolean> allowed, boolean shared) {
        boolean ofOneObject() {
            return path.contains("{");
        }
    }

    private static List<Operation> page() throws IOException {
        List<Operation> operations = new ArrayList<>();
        List<String> roles = List.of();
        for (String line : Files.readAllLines(Checkout.home().resolve("docs/roles.md"))) {
            List<String> cells = List.of(line.replaceAll("^\\| *| *\\|$", "").split(" *\\| *", -1));
            if (line.startsWith("| operation")) {
                roles = cells.subList(1, cells.size());
            } else if (line.startsWith("| `")) {
                String[] operation = cells.get(0).replace("`", "").split(" ", -1);
                Map<String, Boolean> allowed = new LinkedHashMap<>();
                for (int i = 0; i < roles.size(); i++) {
                    allowed.put(roles.get(i), cells.get(i + 1).equals("yes"));
                }
                operations.add(new Operation(operation[0], operation[1], allowed, operation.length > 2));
            }
        }
        return operations;
    }

    private static Api key(Api admin, String role, String expiresAt) {
        String expiry = expiresAt.isEmpty() ? "" : ", \"expiresAt\": \"" + expiresAt + "\"";
        JsonNode issued = admin.post(
                        KEYS, "{\"name\": \"a " + role + "\", \"roles\": [\"" + role + "\"]" + expiry + "}")
                .expect(201)
                .json();
        return admin.as(issued.path("key").asText());
    }

    private static Answer call(Api caller, Operation operation, Map<String, String> ids) {
        String path = operation.path();
        for (Map.Entry<String, String> id : ids.entrySet()) {
            path = path.replace(id.getKey() + "{id}", id.getKey() + id.getValue());
        }
        path = path.replaceAll("\\{[a-z]+}", UUID.randomUUID().toString());
        if (path.endsWith("/diff")) {
            path += "?with=" + ids.get("/executions/");
        }
        HttpRequest.Builder request = caller.request(path);
        return caller.send(
                operation.method().equals("POST") || operation.method().equals("PUT")
                        ? request.header("Content-Type", "application/json").method(operation.method(), Api.body("{}"))
                        : request.method(operation.method(), HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void theServiceDoesWhatThePageSays() throws IOException {
        server.stop();
        String foreign = StoredKeys.addForeign(server.data());
        server.begin();
        server.awaitReady();
        Api admin = server.api();
        Api foreignAdmin = admin.as(foreign);
        List<Operation> operations = page();
        assertThat(operations).hasSizeGreaterThan(20);
        isComplete(admin, operations);
        String execution =
                admin.run(Submission.javascript("return 1")).path("id").asText();
        String batch = admin.post("/api/v1/batches", "{\"items\": [{\"code\": \"return 1\"}]}")
                .expect(202)
                .json()
                .path("id")
                .asText();
        Api expired = key(admin, "admin", Instant.now().plusSeconds(2).toString());

        for (String role : operations.get(0).allowed().keySet()) {
            Api own = key(admin, role, "");
            Api other = key(foreignAdmin, role, "");
            for (Operation operation : operations) {
                String spare = admin.post(KEYS, "{\"name\": \"spare\", \"roles\": [\"auditor\"]}")
                        .expect(201)
                        .json()
                        .path("id")
                        .asText();
                Map<String, String> ids = Map.of("/executions/", execution, "/batches/", batch, "/api-keys/", spare);
                String what = role + " " + operation.method() + " " + operation.path();
                int theirs = call(other, operation, ids).status();
                int ours = call(own, operation, ids).status();
                if (operation.allowed().getOrDefault(role, false)) {
                    assertThat(ours).as(what).isNotIn(401, 403, 500);
                    if (operation.shared()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(403);
                    } else if (operation.ofOneObject()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(404);
                    } else {
                        assertThat(theirs).as("another tenant's " + what).isNotIn(401, 403, 500);
                    }
                } else {
                    assertThat(ours).as(what).isEqualTo(403);
                    assertThat(theirs).as("another tenant's " + what).isEqualTo(403);
                }
            }
        }
        Await.until(
                "a key expires", Duration.ofSeconds(10), () -> expired.get(KEYS).status() == 401);
        for (Operation operation : operations) {
            assertThat(call(admin.anonymous(), operation, Map.of()).status()).isEqualTo(401);
            assertThat(call(expired, operation, Map.of()).status()).isEqualTo(401);
        }
    }

    /** Nothing that the service describes is missing on the page. */
    private static void isComplete(Api admin, List<Operation> operations) {
        JsonNode described = admin.send(admin.request("/openapi").header("Accept", "application/json"))
                .json()
                .path("paths");
        TreeSet<String> missing = new TreeSet<>();
        described
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (path.getKey().startsWith("/api/")
                            && List.of("get", "post", "put", "delete", "patch").contains(method)) {
                        missing.add(method.toUpperCase(java.util.Locale.ROOT) + " " + path.getKey());
                    }
                }));
        operations.forEach(operation -> missing.remove(operation.method() + " " + operation.path()));
        assertThat(missing).isEmpty();
    }

    @Test
    void aKeyIsShownOnceAndWorksUntilItIsRevoked() {
        Api admin = server.api();
        JsonNode issued = admin.post(KEYS, "{\"name\": \"mine\", \"roles\": [\"submitter\", \"auditor\"]}")
                .expect(201)
                .json();
        String id = issued.path("id").asText();
        Api bearer = admin.as(issued.path("key").asText());

        assertThat(bearer.run(Submission.javascript("return 7")).path("result").asInt())
                .isEqualTo(7);
        String list = admin.get(KEYS).expect(200).text();
        assertThat(list).contains(id).doesNotContain(issued.path("key").asText());
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).status()).isEqualTo(204);
        Await.until(
                "the key works no more",
                Duration.ofSeconds(5),
                () -> bearer.get(Api.EXECUTIONS).status() == 401);
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).problem())
                .isEqualTo("not-found");
    }

    @Test
    void whatIsNoKeyIsNotMade() {
        for (String bad : List.of(
                "{}",
                "{\"name\": \"x\"}",
                "{\"name\": \" \", \"roles\": [\"admin\"]}",
                "{\"name\": \"x\", \"roles\": []}",
                "{\"name\": \"x\", \"roles\": [\"ADMIN\"]}",
                "{\"name\": \"x\", \"roles\": [\"king\"]}",
                "{\"name\": \"x\", \"roles\": [\"admin\"], \"tenant\": \"other\"}",
                "{\"name\": \"x\", \"roles\": [\"admin\"], \"expiresAt\": \"2001-01-01T00:00:00Z\"}",
                "{\"name\": \"x\", \"roles\": [\"admin\"], \"expiresAt\": \"tomorrow\"}")) {
            assertThat(server.api().post(KEYS, bad).problem()).as(bad).isEqualTo("validation");
        }
    }
}
