package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
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
    /** A client of the tenant that operates the installation. */
    private final RestClient operating;

    private final String prefix = "placed.a" + UUID.randomUUID().toString().substring(0, 8);

    CapabilitySandboxIT(TestTenant tenant, RestClient operating) {
        this.tenant = tenant;
        this.operating = operating;
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
            String name = prefix + "." + sandbox;
            JsonNode published = operating
                    .post(CAPABILITIES, body(name, sandbox))
                    .expectStatus(201)
                    .json();
            assertThat(published.path("sandbox").asText()).isEqualTo(sandbox);
            RestResponse ran = operating.send(operating.submissionRequest(
                    "{\"capability\": \"" + name + "\", \"args\": {\"n\": 2}}", "Prefer", "wait=30"));
            assertThat(ran.expectStatus(200).json().path("result").asInt())
                    .as(ran.toString())
                    .isEqualTo(3);
        }
        JsonNode batch = operating
                .post(
                        "/api/v1/batches",
                        "{\"items\": [{\"capability\": \"" + prefix + ".in-process\", \"args\": {\"n\": 4}}]}")
                .expectStatus(202)
                .json();
        String item = batch.at("/items/0/execution").asText();
        assertThat(operating.awaitEnd(item).path("result").asInt())
                .as(batch.toString())
                .isEqualTo(5);
        JsonNode audit = operating
                .get("/api/v1/audit?action=capability.publish&limit=100")
                .expectStatus(200)
                .json();
        assertThat(audit.path("items"))
                .filteredOn(entry -> entry.path("object").asText().equals(prefix + ".in-process/1.0.0"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.path("note").asText()).isEqualTo("sandbox in-process"));
    }

    /** A script in the process of the server can stop the service for all tenants. */
    @Test
    void onlyAnAdminOfTheOperatingTenantPublishesInProcess() {
        JsonNode refused = tenant.api()
                .post(CAPABILITIES, body(prefix, "in-process"))
                .expectStatus(422)
                .json();
        assertThat(refused.path("type").asText()).endsWith("sandbox-not-allowed");
        assertThat(refused.path("detail").asText()).contains("sallyport.tenants.operator");
        RestClient operator = operating.withKey(operatorKey());
        assertThat(operator.post(CAPABILITIES, body(prefix, "in-process"))
                        .expectStatus(403)
                        .problemType())
                .isEqualTo("forbidden");
        operator.post(CAPABILITIES, body(prefix, "process")).expectStatus(201);
        tenant.api().post(CAPABILITIES, body(prefix, "process")).expectStatus(201);
        JsonNode problem = operating
                .post(CAPABILITIES, body(prefix + ".other", "inprocess"))
                .expectStatus(400)
                .json();
        assertThat(problem.path("member").asText()).isEqualTo("sandbox");
    }

    private String operatorKey() {
        return operating
                .post("/api/v1/api-keys", "{\"name\":\"" + prefix + "\",\"roles\":[\"operator\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }
}
