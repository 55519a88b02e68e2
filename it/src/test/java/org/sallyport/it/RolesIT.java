package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/**
 * The service does what {@code docs/roles.md} says: each operation with a key of each role, of the own tenant and of another, with
 * none and with one that has expired.
 */
@ExtendWith(Servers.class)
@Server(Profile.SMALL)
class RolesIT {
    private static final String KEYS = "/api/v1/api-keys";

    private final SallyportServer server;

    RolesIT(SallyportServer server) {
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

    private static Answer call(Api caller, Operation operation, OneOfEach things) {
        String path = things.address(operation.path())
                .replaceAll("\\{[a-z]+}", UUID.randomUUID().toString());
        HttpRequest.Builder request = caller.request(path);
        return caller.send(
                operation.method().equals("POST") || operation.method().equals("PUT")
                        ? request.header("Content-Type", "application/json").method(operation.method(), Api.body("{}"))
                        : request.method(operation.method(), HttpRequest.BodyPublishers.noBody()));
    }

    @Tag("slow")
    @Test
    void theServiceDoesWhatThePageSays() throws IOException {
        Api admin = server.api();
        Api foreignAdmin = Tenant.of(server).api();
        List<Operation> operations = page();
        assertThat(operations).hasSizeGreaterThan(20);
        isComplete(admin, operations);
        // What takes things away comes last, and all of them after one.
        operations.sort(Comparator.comparing((Operation operation) ->
                        operation.method().equals("DELETE") || operation.path().endsWith("/cancel"))
                .thenComparing(operation -> operation.method().equals("DELETE") && !operation.ofOneObject()));
        Api approver = key(admin, "approver", "");
        Api expired = key(admin, "admin", Instant.now().plusSeconds(20).toString());

        OneOfEach things = new OneOfEach(admin, approver);
        for (String role : operations.get(0).allowed().keySet()) {
            Api own = key(admin, role, "");
            Api other = key(foreignAdmin, role, "");
            things = new OneOfEach(admin, approver);
            for (Operation operation : operations) {
                String what = role + " " + operation.method() + " " + things.address(operation.path());
                int theirs = call(other, operation, things).status();
                int ours = call(own, operation, things).status();
                if (operation.allowed().getOrDefault(role, false)) {
                    assertThat(ours).as(what).isNotIn(401, 403, 500);
                    if (operation.shared()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(403);
                    } else if (operation.ofOneObject()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(404);
                        if (things.has(operation.path())) {
                            assertThat(ours).as("there is something at " + what).isNotEqualTo(404);
                        }
                    } else {
                        assertThat(theirs).as("another tenant's " + what).isNotIn(401, 403, 500);
                    }
                } else {
                    assertThat(ours).as(what).isEqualTo(403);
                    assertThat(theirs).as("another tenant's " + what).isEqualTo(403);
                }
            }
        }
        whatAllDoIsForWhoOperates(admin, key(foreignAdmin, "operator", ""));
        Await.until(
                "a key expires", Duration.ofSeconds(60), () -> expired.get(KEYS).status() == 401);
        for (Operation operation : operations) {
            assertThat(call(admin.anonymous(), operation, things).status()).isEqualTo(401);
            assertThat(call(expired, operation, things).status()).isEqualTo(401);
        }
    }

    private static void whatAllDoIsForWhoOperates(Api admin, Api foreignOperator) {
        assertThat(admin.get("/metrics").status()).isEqualTo(200);
        assertThat(foreignOperator.get("/metrics").problem()).isEqualTo("forbidden");
        assertThat(admin.get("/api/v1/queue").expect(200).json().has("all")).isTrue();
        assertThat(foreignOperator.get("/api/v1/queue").expect(200).json().has("all"))
                .isFalse();
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
        JsonNode used = listed(admin, id);
        assertThat(Instant.parse(used.path("lastUsedAt").asText()))
                .isBetween(Instant.now().minusSeconds(120), Instant.now().plusSeconds(1));
        String unused = admin.post(KEYS, "{\"name\": \"unused\", \"roles\": [\"auditor\"]}")
                .expect(201)
                .json()
                .path("id")
                .asText();
        assertThat(listed(admin, unused).has("lastUsedAt")).isFalse();
        String list = admin.get(KEYS).expect(200).text();
        assertThat(list).contains(id).doesNotContain(issued.path("key").asText());
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).status()).isEqualTo(204);
        Await.until(
                "the key works no more",
                Duration.ofSeconds(30),
                () -> bearer.get(Api.EXECUTIONS).status() == 401);
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).problem())
                .isEqualTo("not-found");
    }

    private static JsonNode listed(Api admin, String id) {
        for (JsonNode each : admin.get(KEYS).expect(200).json().path("items")) {
            if (each.path("id").asText().equals(id)) {
                return each;
            }
        }
        throw new AssertionError("there is no key " + id);
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
