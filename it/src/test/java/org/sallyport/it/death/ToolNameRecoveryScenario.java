package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Tools of a backend have the same names as before, and the names of a removed tool denote no other tool. */
final class ToolNameRecoveryScenario implements RecoveryScenario {
    private static final String BACKEND = "/api/v1/backends/odd-names";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final RestClient admin;
    private Map<String, String> before = Map.of();

    /** @param admin a client that may configure backends */
    ToolNameRecoveryScenario(RestClient admin) {
        this.admin = admin;
    }

    private static ObjectNode backend(String... operations) {
        ObjectNode backend = TestJson.object().put("kind", "http");
        ObjectNode settings = backend.putObject("settings")
                .put("baseUrl", "http://127.0.0.1:1")
                .put("allowPrivate", true);
        for (String operation : operations) {
            settings.withObject("/operations")
                    .putObject(operation)
                    .put("method", "GET")
                    .put("path", "/");
        }
        return backend;
    }

    /** Returns name, path and availability of each tool by its declared name. */
    private Map<String, String> names() {
        Map<String, String> names = new TreeMap<>();
        for (JsonNode tool : admin.get(BACKEND).expectStatus(200).json().path("tools")) {
            names.put(
                    tool.path("original").asText(),
                    tool.path("name").asText() + " " + tool.path("path").asText() + " "
                            + tool.path("available").asBoolean());
        }
        return names;
    }

    private void awaitTools(int count) {
        Await.until("the backend has " + count + " tools", TIMEOUT, () -> names().size() == count);
    }

    private JsonNode validated(String code) {
        return admin.post("/api/v1/validate", SubmissionBody.javascript(code).json())
                .expectStatus(200)
                .json()
                .at("/tools/0");
    }

    private void assertNameOfTheRemovedToolIsKept() {
        for (String code : new String[] {
            "return await odd_names.get_user({})",
            "const all = []; all.push(await tools.odd_names.get_user({})); return all",
            "{\"tool\": \"odd-names.get_user\"}"
        }) {
            JsonNode tool = validated(code);
            assertThat(tool.path("name").asText()).as(code).isEqualTo("odd-names.get-user");
            assertThat(tool.path("known").asBoolean()).as(code).isFalse();
        }
        assertThat(validated("return await odd_names.get_user_3({})")
                        .path("known")
                        .asBoolean())
                .isTrue();
    }

    @Override
    public void prepare() {
        admin.post(
                        "/api/v1/backends",
                        backend("get-user").put("name", "odd-names").toString())
                .expectStatus(201);
        awaitTools(1);
        admin.send(admin.request(BACKEND)
                        .header("Content-Type", "application/json")
                        .PUT(RestClient.body(backend("get_user", "get.user").toString())))
                .expectStatus(200);
        awaitTools(3);
        before = names();
        assertThat(before)
                .isEqualTo(Map.of(
                        "get-user", "odd-names.get-user odd_names.get_user false",
                        "get_user", "odd-names.get_user_3 odd_names.get_user_3 true",
                        "get.user", "odd-names.get.user odd_names.get_user_2 true"));
        assertNameOfTheRemovedToolIsKept();
    }

    @Override
    public void assertRecovered() {
        assertThat(names()).isEqualTo(before);
        assertNameOfTheRemovedToolIsKept();
    }
}
