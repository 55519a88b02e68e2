package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Capabilities that choose where they run, at an installation that allows both. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
class CapabilitySandboxIT {
    private static final String CAPABILITIES = "/api/v1/capabilities";

    private final TestTenant tenant;
    private final RestClient api;

    CapabilitySandboxIT(TestTenant tenant) {
        this.tenant = tenant;
        this.api = tenant.api();
    }

    private static String body(String name, String sandbox) {
        ObjectNode body = TestJson.object()
                .put("name", name)
                .put("version", "1.0.0")
                .put("code", "export default async ({ n }) => demo.add({ a: n, b: 1 });")
                .put("sandbox", sandbox);
        body.putArray("tools").add("demo.add");
        return TestJson.write(body);
    }

    @Test
    void capabilityRunsInEachSandbox() {
        for (String sandbox : new String[] {"process", "in-process"}) {
            String name = "placed." + sandbox;
            JsonNode published = api.post(CAPABILITIES, body(name, sandbox))
                    .expectStatus(201)
                    .json();
            assertThat(published.path("sandbox").asText()).isEqualTo(sandbox);
            RestResponse ran = api.send(api.submissionRequest(
                    "{\"capability\": \"" + name + "\", \"args\": {\"n\": 2}}", "Prefer", "wait=30"));
            assertThat(ran.expectStatus(200).json().path("result").asInt())
                    .as(ran.toString())
                    .isEqualTo(3);
        }
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{\"capability\": \"placed.in-process\", \"args\": {\"n\": 4}}]}")
                .expectStatus(202)
                .json();
        String item = batch.at("/items/0/execution").asText();
        assertThat(api.awaitEnd(item).path("result").asInt())
                .as(batch.toString())
                .isEqualTo(5);
    }

    @Test
    void onlyAnAdminPublishesInProcessAndOtherModesAreRefused() {
        RestClient operator = api.withKey(tenant.key("operator"));
        assertThat(operator.post(CAPABILITIES, body("placed.operator", "in-process"))
                        .expectStatus(403)
                        .problemType())
                .isEqualTo("forbidden");
        operator.post(CAPABILITIES, body("placed.operator", "process")).expectStatus(201);
        JsonNode problem = api.post(CAPABILITIES, body("placed.other", "inprocess"))
                .expectStatus(400)
                .json();
        assertThat(problem.path("member").asText()).isEqualTo("sandbox");
    }
}
