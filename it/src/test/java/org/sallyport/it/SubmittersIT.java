package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;

/** Executions, batches, schedules and capabilities name the caller who submitted them, as the audit log does. */
@ExtendWith(ServerExtension.class)
class SubmittersIT {
    private static final String CAPABILITY =
            "{\"name\": \"by.caller\", \"version\": \"1.0.0\", \"code\": \"return 1\", \"tools\": []}";
    private static final String SCHEDULE =
            "{\"name\": \"%s\", \"cron\": \"0 3 1 1 *\", \"zone\": \"UTC\", \"run\": {\"code\": \"return 1\"}}";

    private final TestTenant tenant;
    private final RestClient first;
    private final RestClient second;
    private final OpenApiResponseValidator description;

    SubmittersIT(TestTenant tenant) {
        this.tenant = tenant;
        this.first = tenant.api();
        this.second = first.withKey(first.createKeyWithAllRoles("second"));
        this.description = OpenApiResponseValidator.of(first);
    }

    /** The id of the caller, as the audit log names it. */
    private String callerId(RestClient caller) {
        String id = caller.submit(SubmissionBody.javascript("await sleep('100s')"));
        caller.cancel(id).expectStatus(202);
        for (JsonNode entry : first.get("/api/v1/audit?action=execution.cancel")
                .expectStatus(200)
                .json()
                .path("items")) {
            if (entry.path("object").asText().equals(id)) {
                return entry.path("actor").asText();
            }
        }
        throw new AssertionError("the cancel of " + id + " is not in the audit log");
    }

    @Test
    void executionsNameTheirSubmitterAndAreFoundByIt() {
        String one = callerId(first);
        String other = callerId(second);
        assertThat(one).isNotEqualTo(other);
        String mine = second.submit(SubmissionBody.javascript("return 'found by its submitter'"));
        second.awaitEnd(mine);
        String person = tenant.token("person#1", "submitters");
        JsonNode tokens = first.withKey(person).run(SubmissionBody.javascript("return 1"));

        assertThat(first.getExecution(mine).path("submittedBy").asText()).isEqualTo(other);
        assertThat(tokens.path("submittedBy").asText()).startsWith("jwt:person#1@");
        assertThat(found(tokens.path("submittedBy").asText(), ""))
                .containsExactly(tokens.path("id").asText());
        assertThat(found(other, ""))
                .contains(mine)
                .doesNotContain(tokens.path("id").asText());
        assertThat(found(other, "&state=COMPLETED&q=found+by")).containsExactly(mine);
        assertThat(found(one, "&q=found+by")).isEmpty();

        JsonNode rerun = first.post(RestClient.EXECUTIONS + "/" + mine + "/rerun", "{}")
                .expectStatus(202)
                .json();
        assertThat(rerun.path("submittedBy").asText()).isEqualTo(one);
        first.awaitEnd(rerun.path("id").asText());
    }

    private List<String> found(String caller, String filters) {
        List<String> ids = new ArrayList<>();
        RestResponse page = first.get(RestClient.EXECUTIONS + "?limit=200&submittedBy="
                + URLEncoder.encode(caller, StandardCharsets.UTF_8) + filters);
        assertThat(description.validate("GET", RestClient.EXECUTIONS, page)).isEmpty();
        page.expectStatus(200).json().path("items").forEach(item -> {
            assertThat(item.path("submittedBy").asText()).isEqualTo(caller);
            ids.add(item.path("id").asText());
        });
        return ids;
    }

    @Test
    void batchesSchedulesAndCapabilitiesNameTheirSubmitter() {
        String one = callerId(first);
        String other = callerId(second);

        JsonNode batch = second.post("/api/v1/batches", "{\"items\": [{\"code\": \"return 1\"}]}")
                .expectStatus(202)
                .json();
        assertThat(batch.path("submittedBy").asText()).isEqualTo(other);
        assertThat(first.get("/api/v1/batches")
                        .json()
                        .at("/items/0/submittedBy")
                        .asText())
                .isEqualTo(other);
        assertThat(first.getExecution(batch.at("/items/0/execution").asText())
                        .path("submittedBy")
                        .asText())
                .isEqualTo(other);

        second.post("/api/v1/capabilities", CAPABILITY).expectStatus(201);
        assertThat(first.get("/api/v1/capabilities/by.caller/versions/1.0.0")
                        .json()
                        .path("submittedBy")
                        .asText())
                .isEqualTo(other);
        assertThat(first.get("/api/v1/capabilities/by.caller")
                        .json()
                        .at("/versions/0/submittedBy")
                        .asText())
                .isEqualTo(other);

        String schedule = second.post("/api/v1/schedules", SCHEDULE.formatted("yearly"))
                .expectStatus(201)
                .json()
                .path("id")
                .asText();
        JsonNode replaced = first.send(first.request("/api/v1/schedules/" + schedule)
                        .header("Content-Type", "application/json")
                        .PUT(RestClient.body(SCHEDULE.formatted("yearly"))))
                .expectStatus(200)
                .json();
        assertThat(replaced.path("submittedBy").asText()).isEqualTo(other);
        assertThat(replaced.path("owner").asText()).isEqualTo(one);
    }

    @Test
    void nestedExecutionHasTheSubmitterOfItsOutermostExecution() {
        first.post("/api/v1/capabilities", CAPABILITY.replace("by.caller", "called.by"))
                .expectStatus(201);
        JsonNode root = second.run(
                SubmissionBody.javascript("return capabilities.called.by({})").grants("capabilities.*"));

        JsonNode child = first.get(root.at("/links/children").asText()).json().at("/items/0");
        assertThat(child.path("parent")).isEqualTo(root.path("id"));
        assertThat(child.path("submittedBy")).isEqualTo(root.path("submittedBy"));
    }
}
