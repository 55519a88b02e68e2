package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Dry runs, their plans, and executions that must follow a plan. The ledger of the demo backend counts effects. */
@ExtendWith(ServerExtension.class)
class DryRunPlanIT {
    private static final String PLANS = "/api/v1/plans";

    private final RestClient api;
    private final RestClient approver;
    private final OpenApiResponseValidator description;
    private final String counter = UUID.randomUUID().toString();

    DryRunPlanIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
        String key = api.post("/api/v1/api-keys", "{\"name\":\"plans\",\"roles\":[\"approver\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        this.approver = api.withKey(key);
    }

    private SubmissionBody script(String code) {
        return SubmissionBody.javascript(code).args("{\"name\":\"" + counter + "\"}");
    }

    private String runDry(String code) {
        JsonNode run = api.run(script(code).with("dryRun", "true"));
        assertThat(run.path("state").asText()).as(run.toString()).isEqualTo("COMPLETED");
        assertThat(run.path("dryRun").asBoolean()).isTrue();
        return run.path("id").asText();
    }

    private JsonNode getPlan(String id) {
        RestResponse answer = api.get(PLANS + "/" + id).expectStatus(200);
        assertThat(description.validate("GET", PLANS + "/{id}", answer)).isEmpty();
        return answer.json();
    }

    private RestResponse approve(RestClient by, String id) {
        RestResponse answer = by.send(by.request(PLANS + "/" + id + "/approve")
                .header("Prefer", "wait=30")
                .POST(RestClient.body("")));
        assertThat(description.validate("POST", PLANS + "/{id}/approve", answer))
                .isEmpty();
        return answer;
    }

    private JsonNode ledger() {
        return api.run(script("return demo.counter_ledger({ name: args.name });"))
                .path("result");
    }

    @Test
    void exampleOfTheGuideHasItsEffectsOnceAfterApproval() throws Exception {
        Matcher block = Pattern.compile("```js dry\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/dry-run.md")));
        assertThat(block.find()).isTrue();
        String id = runDry(block.group(1));

        assertThat(ledger()).isEmpty();
        JsonNode plan = getPlan(id);
        assertThat(plan.path("approvable").asBoolean()).isTrue();
        assertThat(plan.at("/effects/0/tool").asText()).isEqualTo("demo.counter_increment");
        assertThat(plan.at("/effects/0/asks").asBoolean()).isFalse();
        assertThat(plan.at("/effects/1/tool").asText()).isEqualTo("demo.send_mail");
        assertThat(plan.at("/effects/1/asks").asBoolean()).isTrue();
        assertThat(plan.at("/effects/1/args/to").asText()).isEqualTo("ops@example.com");

        assertThat(approve(api, id).status()).as("one's own").isEqualTo(403);
        JsonNode real = approve(approver, id).expectStatus(200).json();

        assertThat(real.path("state").asText()).as(real.toString()).isEqualTo("COMPLETED");
        assertThat(real.path("rerunOf").asText()).isEqualTo(id);
        assertThat(real.at("/plan/id").asText()).isEqualTo(id);
        assertThat(ledger()).hasSize(1);
        JsonNode twice = approve(approver, id).expectStatus(200).json();
        assertThat(twice.path("id")).isEqualTo(real.path("id"));
        assertThat(ledger()).hasSize(1);

        String erased = RestClient.EXECUTIONS + "/" + real.path("id").asText();
        api.send(api.request(erased).DELETE()).expectStatus(204);
        assertThat(approve(approver, id).problemType()).isEqualTo("plan-not-approvable");
        assertThat(ledger()).hasSize(1);
    }

    @Test
    void executionThatDeviatesFromItsPlanFails() {
        String id = runDry("const before = await demo.counter_read({ name: args.name });"
                + " return demo.counter_increment({ name: args.name, by: before + 1 });");
        api.run(script("return demo.counter_increment({ name: args.name, by: 10 });"));

        JsonNode real = approve(approver, id).expectStatus(200).json();

        assertThat(real.path("state").asText()).isEqualTo("FAILED");
        assertThat(real.at("/error/code").asText()).isEqualTo("outside-plan");
        assertThat(real.at("/error/message").asText()).contains("counter_increment");
        assertThat(ledger()).hasSize(1);
    }

    @Test
    void unapprovablePlanIsRefused() {
        String failed = api.run(script("throw new Error('no')").with("dryRun", "true"))
                .path("id")
                .asText();
        assertThat(approve(approver, failed).problemType()).isEqualTo("plan-not-approvable");
        String real = api.run(script("return 1")).path("id").asText();
        assertThat(approve(approver, real).status()).isEqualTo(404);
        assertThat(api.get(PLANS + "/" + real).status()).isEqualTo(404);
        assertThat(api.get(PLANS + "/x").status()).isIn(400, 404);
        String waiting = api.submit(script("await sleep(60000)").with("dryRun", "true"));
        assertThat(approve(approver, waiting).problemType()).isEqualTo("not-terminal");
        api.cancel(waiting);
        assertThat(api.post(RestClient.EXECUTIONS, "{\"code\":\"1\",\"fixtures\":{}}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void rerunOfADryRunHasNoEffects() {
        String id = runDry("return demo.counter_increment({ name: args.name, by: 1 });");
        JsonNode rerun = api.send(api.request(RestClient.EXECUTIONS + "/" + id + "/rerun")
                        .headers("Content-Type", "application/json", "Prefer", "wait=30")
                        .POST(RestClient.body("{}")))
                .expectStatus(200)
                .json();
        assertThat(rerun.path("dryRun").asBoolean()).isTrue();
        assertThat(ledger()).isEmpty();
        assertThat(approve(approver, rerun.path("id").asText()).problemType()).isEqualTo("plan-not-approvable");
    }
}
