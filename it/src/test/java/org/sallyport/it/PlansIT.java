package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Dry runs, their plans, and the runs that are held to them. Effects are counted by the demo backend's own ledger. */
@ExtendWith(Servers.class)
class PlansIT {
    private static final String PLANS = "/api/v1/plans";

    private final Api api;
    private final Api approver;
    private final Description description;
    private final String counter = UUID.randomUUID().toString();

    PlansIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
        String key = api.post("/api/v1/api-keys", "{\"name\":\"plans\",\"roles\":[\"approver\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
        this.approver = api.as(key);
    }

    private Submission script(String code) {
        return Submission.javascript(code).args("{\"name\":\"" + counter + "\"}");
    }

    private String dry(String code) {
        JsonNode run = api.run(script(code).with("dryRun", "true"));
        assertThat(run.path("state").asText()).as(run.toString()).isEqualTo("COMPLETED");
        assertThat(run.path("dryRun").asBoolean()).isTrue();
        return run.path("id").asText();
    }

    private JsonNode plan(String id) {
        Answer answer = api.get(PLANS + "/" + id).expect(200);
        assertThat(description.faults("GET", PLANS + "/{id}", answer)).isEmpty();
        return answer.json();
    }

    private Answer approve(Api by, String id) {
        Answer answer = by.send(by.request(PLANS + "/" + id + "/approve")
                .header("Prefer", "wait=30")
                .POST(Api.body("")));
        assertThat(description.faults("POST", PLANS + "/{id}/approve", answer)).isEmpty();
        return answer;
    }

    private JsonNode ledger() {
        return api.run(script("return demo.counter_ledger({ name: args.name });"))
                .path("result");
    }

    @Test
    void theExampleOfTheGuideChangesNothingUntilItIsApprovedAndThenJustThatOnce() throws Exception {
        Matcher block = Pattern.compile("```js dry\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Checkout.home().resolve("docs/plans.md")));
        assertThat(block.find()).isTrue();
        String id = dry(block.group(1));

        assertThat(ledger()).isEmpty();
        JsonNode plan = plan(id);
        assertThat(plan.path("approvable").asBoolean()).isTrue();
        assertThat(plan.at("/effects/0/tool").asText()).isEqualTo("demo.counter_increment");
        assertThat(plan.at("/effects/0/asks").asBoolean()).isFalse();
        assertThat(plan.at("/effects/1/tool").asText()).isEqualTo("demo.send_mail");
        assertThat(plan.at("/effects/1/asks").asBoolean()).isTrue();
        assertThat(plan.at("/effects/1/args/to").asText()).isEqualTo("ops@example.com");

        assertThat(approve(api, id).status()).as("one's own").isEqualTo(403);
        JsonNode real = approve(approver, id).expect(200).json();

        assertThat(real.path("state").asText()).as(real.toString()).isEqualTo("COMPLETED");
        assertThat(real.path("rerunOf").asText()).isEqualTo(id);
        assertThat(real.at("/plan/id").asText()).isEqualTo(id);
        assertThat(ledger()).hasSize(1);
        JsonNode twice = approve(approver, id).expect(200).json();
        assertThat(twice.path("id")).isEqualTo(real.path("id"));
        assertThat(ledger()).hasSize(1);
    }

    @Test
    void aRunThatWouldDoOtherThanWasPlannedIsStopped() {
        String id = dry("const before = await demo.counter_read({ name: args.name });"
                + " return demo.counter_increment({ name: args.name, by: before + 1 });");
        api.run(script("return demo.counter_increment({ name: args.name, by: 10 });"));

        JsonNode real = approve(approver, id).expect(200).json();

        assertThat(real.path("state").asText()).isEqualTo("FAILED");
        assertThat(real.at("/error/code").asText()).isEqualTo("outside-plan");
        assertThat(real.at("/error/message").asText()).contains("counter_increment");
        assertThat(ledger()).hasSize(1);
    }

    @Test
    void whatCannotBeApprovedIsRefused() {
        String failed = api.run(script("throw new Error('no')").with("dryRun", "true"))
                .path("id")
                .asText();
        assertThat(approve(approver, failed).problem()).isEqualTo("plan-not-approvable");
        String real = api.run(script("return 1")).path("id").asText();
        assertThat(approve(approver, real).status()).isEqualTo(404);
        assertThat(api.get(PLANS + "/" + real).status()).isEqualTo(404);
        assertThat(api.get(PLANS + "/x").status()).isIn(400, 404);
        String waiting = api.submit(script("await sleep(60000)").with("dryRun", "true"));
        assertThat(approve(approver, waiting).problem()).isEqualTo("not-terminal");
        api.cancel(waiting);
        assertThat(api.post(Api.EXECUTIONS, "{\"code\":\"1\",\"fixtures\":{}}").status())
                .isEqualTo(400);
    }

    @Test
    void aRerunOfADryRunChangesNothingEither() {
        String id = dry("return demo.counter_increment({ name: args.name, by: 1 });");
        JsonNode again = api.send(api.request(Api.EXECUTIONS + "/" + id + "/rerun")
                        .headers("Content-Type", "application/json", "Prefer", "wait=30")
                        .POST(Api.body("{}")))
                .expect(200)
                .json();
        assertThat(again.path("dryRun").asBoolean()).isTrue();
        assertThat(ledger()).isEmpty();
        assertThat(approve(approver, again.path("id").asText()).problem()).isEqualTo("plan-not-approvable");
    }
}
