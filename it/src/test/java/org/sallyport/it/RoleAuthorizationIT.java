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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/**
 * Checks the permissions of {@code docs/roles.md}: calls each operation with a key of each role, of the own tenant and
 * of another, without a key, and with an expired key.
 */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class RoleAuthorizationIT {
    private static final String KEYS = "/api/v1/api-keys";

    private final SallyportServer server;

    RoleAuthorizationIT(SallyportServer server) {
        this.server = server;
    }

    /** A row of the table in {@code docs/roles.md}. */
    private record DocumentedOperation(
            String method, String path, Map<String, Boolean> allowedByRole, boolean operatorTenantOnly) {
        /** A variable is created with the method that changes it, so each tenant may use each name. */
        boolean isOfOneObject() {
            return path.contains("{") && !(method.equals("PUT") && path.equals("/api/v1/variables/{name}"));
        }
    }

    private static List<DocumentedOperation> readOperations() throws IOException {
        List<DocumentedOperation> operations = new ArrayList<>();
        List<String> roles = List.of();
        for (String line : Files.readAllLines(CheckoutPaths.root().resolve("docs/roles.md"))) {
            List<String> cells = List.of(line.replaceAll("^\\| *| *\\|$", "").split(" *\\| *", -1));
            if (line.startsWith("| operation")) {
                roles = cells.subList(1, cells.size());
            } else if (line.startsWith("| `")) {
                String[] operation = cells.get(0).replace("`", "").split(" ", -1);
                Map<String, Boolean> allowed = new LinkedHashMap<>();
                for (int i = 0; i < roles.size(); i++) {
                    allowed.put(roles.get(i), cells.get(i + 1).equals("yes"));
                }
                operations.add(new DocumentedOperation(operation[0], operation[1], allowed, operation.length > 2));
            }
        }
        return operations;
    }

    private static RestClient createKey(RestClient admin, String role, String expiresAt) {
        String expiry = expiresAt.isEmpty() ? "" : ", \"expiresAt\": \"" + expiresAt + "\"";
        JsonNode issued = admin.post(
                        KEYS, "{\"name\": \"a " + role + "\", \"roles\": [\"" + role + "\"]" + expiry + "}")
                .expectStatus(201)
                .json();
        return admin.withKey(issued.path("key").asText());
    }

    private static RestResponse call(RestClient caller, DocumentedOperation operation, TenantResourceFixtures things) {
        String path = things.resolvePath(operation.path())
                .replaceAll("\\{[a-z]+}", UUID.randomUUID().toString());
        HttpRequest.Builder request = caller.request(path);
        return caller.send(
                operation.method().equals("POST") || operation.method().equals("PUT")
                        ? request.header("Content-Type", "application/json")
                                .method(operation.method(), RestClient.body("{}"))
                        : request.method(operation.method(), HttpRequest.BodyPublishers.noBody()));
    }

    @Tag("slow")
    @Test
    void permissionsMatchTheRolesPage() throws IOException {
        RestClient admin = server.api();
        RestClient foreignAdmin = TestTenant.of(server).api();
        List<DocumentedOperation> operations = readOperations();
        assertThat(operations).hasSizeGreaterThan(20);
        assertComplete(admin, operations);
        // Operations that cancel come last but for those that delete, and operations that delete all objects come after
        // those that delete one.
        operations.sort(Comparator.comparing((DocumentedOperation operation) ->
                        operation.method().equals("DELETE") || operation.path().endsWith("/cancel"))
                .thenComparing(operation -> operation.method().equals("DELETE"))
                .thenComparing(operation -> operation.method().equals("DELETE") && !operation.isOfOneObject()));
        RestClient approver = createKey(admin, "approver", "");
        RestClient expired =
                createKey(admin, "admin", Instant.now().plusSeconds(20).toString());

        TenantResourceFixtures things = new TenantResourceFixtures(admin, approver);
        for (String role : operations.get(0).allowedByRole().keySet()) {
            RestClient own = createKey(admin, role, "");
            RestClient other = createKey(foreignAdmin, role, "");
            things = new TenantResourceFixtures(admin, approver);
            for (DocumentedOperation operation : operations) {
                String what = role + " " + operation.method() + " " + things.resolvePath(operation.path());
                int theirs = call(other, operation, things).status();
                int ours = call(own, operation, things).status();
                if (operation.allowedByRole().getOrDefault(role, false)) {
                    assertThat(ours).as(what).isNotIn(401, 403, 500);
                    if (operation.operatorTenantOnly()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(403);
                    } else if (operation.isOfOneObject()) {
                        assertThat(theirs).as("another tenant's " + what).isEqualTo(404);
                        if (things.hasResource(operation.path())) {
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
        whatAllDoIsForWhoOperates(admin, createKey(foreignAdmin, "operator", ""));
        Await.until(
                "a key expires", Duration.ofSeconds(60), () -> expired.get(KEYS).status() == 401);
        for (DocumentedOperation operation : operations) {
            assertThat(call(admin.withoutKey(), operation, things).status()).isEqualTo(401);
            assertThat(call(expired, operation, things).status()).isEqualTo(401);
        }
    }

    private static void whatAllDoIsForWhoOperates(RestClient admin, RestClient foreignOperator) {
        assertThat(admin.get("/metrics").status()).isEqualTo(200);
        assertThat(foreignOperator.get("/metrics").problemType()).isEqualTo("forbidden");
        assertThat(admin.get("/api/v1/queue").expectStatus(200).json().has("all"))
                .isTrue();
        assertThat(foreignOperator.get("/api/v1/queue").expectStatus(200).json().has("all"))
                .isFalse();
    }

    /** Fails if an operation of the OpenAPI document is missing on the page. */
    private static void assertComplete(RestClient admin, List<DocumentedOperation> operations) {
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
        RestClient admin = server.api();
        JsonNode issued = admin.post(KEYS, "{\"name\": \"mine\", \"roles\": [\"submitter\", \"auditor\"]}")
                .expectStatus(201)
                .json();
        String id = issued.path("id").asText();
        RestClient bearer = admin.withKey(issued.path("key").asText());

        assertThat(bearer.run(SubmissionBody.javascript("return 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(7);
        JsonNode used = findKey(admin, id);
        assertThat(Instant.parse(used.path("lastUsedAt").asText()))
                .isBetween(Instant.now().minusSeconds(120), Instant.now().plusSeconds(1));
        String unused = admin.post(KEYS, "{\"name\": \"unused\", \"roles\": [\"auditor\"]}")
                .expectStatus(201)
                .json()
                .path("id")
                .asText();
        assertThat(findKey(admin, unused).has("lastUsedAt")).isFalse();
        String list = admin.get(KEYS).expectStatus(200).text();
        assertThat(list).contains(id).doesNotContain(issued.path("key").asText());
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).status()).isEqualTo(204);
        Await.until(
                "the key works no more",
                Duration.ofSeconds(30),
                () -> bearer.get(RestClient.EXECUTIONS).status() == 401);
        assertThat(admin.send(admin.request(KEYS + "/" + id).DELETE()).problemType())
                .isEqualTo("not-found");
    }

    private static JsonNode findKey(RestClient admin, String id) {
        for (JsonNode each : admin.get(KEYS).expectStatus(200).json().path("items")) {
            if (each.path("id").asText().equals(id)) {
                return each;
            }
        }
        throw new AssertionError("there is no key " + id);
    }

    @Test
    void invalidKeyIsNotCreated() {
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
            assertThat(server.api().post(KEYS, bad).problemType()).as(bad).isEqualTo("validation");
        }
    }
}
