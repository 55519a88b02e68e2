package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/** What calls cost and may cost, and what a tenant may take up, from the door to the tool. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BudgetsIT {
    private static final String POLICIES = "/api/v1/policies";
    private static final String COSTS = "/api/v1/costs";
    private static final String QUOTAS = "/api/v1/quotas";
    private static final String QUOTAS_OF = "/api/v1/tenants/{tenant}/quotas";
    private static final String TENANTS = "/api/v1/tenants";
    private static final String BATCHES = "/api/v1/batches";
    private static final Submission WAITS = Submission.javascript("for (;;) await sleep(200)");

    /** Belongs to the tenant that operates the installation. */
    private final Api operator;

    private final Tenant us;
    private final Tenant them;
    private final Api api;
    private final Api theirs;
    private final Description description;

    BudgetsIT(Api operator, Tenant us, Tenant them) {
        this.operator = operator;
        this.us = us;
        this.them = them;
        this.api = us.api();
        this.theirs = them.api();
        this.description = Description.of(operator);
    }

    private JsonNode described(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private void policy(Api whose, String members) {
        described(
                "POST",
                POLICIES,
                201,
                whose.post(POLICIES, "{\"document\": {\"rules\": [], " + members + "}, \"comment\": \"costs\"}"));
    }

    private JsonNode costs(Api whose, String query) {
        return described("GET", COSTS, 200, whose.get(COSTS + query));
    }

    private Answer put(Api whose, String body) {
        return whose.send(whose.request(QUOTAS_OF.replace("{tenant}", them.name()))
                .header("Content-Type", "application/json")
                .PUT(Api.body(body)));
    }

    @Test
    void callsAreChargedRefusedBeyondTheBudgetAndReported() {
        policy(api, """
                "costs": [{"tools": ["demo.add"], "cost": 0.5, "times": "/a"}, {"tools": ["demo.echo"], "cost": 1}],
                "budgets": [{"name": "team", "of": "tenant", "per": "month", "cost": 7}]
                """);
        JsonNode explained = described(
                "POST",
                POLICIES + "/explain",
                200,
                api.post(POLICIES + "/explain", "{\"tool\": \"demo.add\", \"arguments\": {\"a\": 3, \"b\": 1}}"));
        assertThat(explained.path("cost").decimalValue()).isEqualByComparingTo("1.5");

        JsonNode free = api.run(Submission.javascript("return (await demo.clock()) !== null"));
        assertThat(free.has("cost")).isFalse();
        JsonNode first = api.run(Submission.javascript("await demo.echo(1); return await demo.add({ a: 3, b: 1 })"));
        assertThat(first.path("cost").decimalValue()).isEqualByComparingTo("2.5");
        assertThat(description.faults(
                        "GET",
                        Api.EXECUTIONS + "/{id}",
                        api.get(Api.EXECUTIONS + "/" + first.path("id").asText())))
                .isEmpty();

        JsonNode own = api.run(Submission.javascript("await demo.echo(1);"
                        + " return await demo.echo(2).catch((e) => [e.code, e.details.budget, e.details.left])")
                .with("limits", "{\"cost\": 1.25}"));
        assertThat(own.at("/limits/cost").decimalValue()).isEqualByComparingTo("1.25");
        assertThat(own.path("result").toString()).isEqualTo("[\"budget-exceeded\",\"limits.cost\",0.25]");

        JsonNode over = api.run(Submission.javascript("await demo.add({ a: 7, b: 0 });"
                + " return await demo.echo(2).catch((e) => [e.code, e.message, e.details.renewsAt])"));
        assertThat(over.path("result").toString())
                .contains("budget-exceeded", "'demo.echo' costs 1", "'team' of this tenant (7 a month) 0 is left")
                .contains("-01T00:00:00Z");
        assertThat(api.trace(over.path("id").asText()).toString()).contains("budget/team");

        JsonNode byTool = costs(api, "");
        assertThat(byTool.path("items").findValuesAsText("name")).containsExactly("demo.add", "demo.echo");
        assertThat(byTool.at("/items/0/cost").decimalValue()).isEqualByComparingTo("5");
        assertThat(byTool.at("/items/1/calls").asInt()).isEqualTo(2);
        assertThat(costs(api, "?by=key&since=2026-01-01").path("items")).hasSize(1);
        assertThat(costs(api, "?by=day&limit=5").path("items")).hasSize(1);
        assertThat(costs(api, "?by=tenant").toString()).contains("\"cost\":7,");
        assertThat(api.get(COSTS + "?by=all").problem()).isEqualTo("validation");
        assertThat(api.get(COSTS + "?since=yesterday").problem()).isEqualTo("validation");

        assertThat(costs(theirs, "").toString()).doesNotContain("demo.add");
        assertThat(costs(theirs, "?by=tenant").toString()).doesNotContain("\"cost\":7,");
        assertThat(operator.get("/metrics").text()).contains("sallyport_tool_cost_total{backend=\"demo\"}");
    }

    @Test
    void whoOperatesTheInstallationSeesWhichTenantsThereAre() {
        String open = theirs.submit(WAITS);
        theirs.awaitRunning(open);

        assertThat(theirs.get(TENANTS).problem()).isEqualTo("forbidden");
        List<JsonNode> all = new ArrayList<>();
        String from = "";
        do {
            JsonNode page = described("GET", TENANTS, 200, operator.get(TENANTS + "?limit=1" + from));
            all.add(page.at("/items/0"));
            from = page.path("next").isNull()
                    ? ""
                    : "&cursor=" + page.path("next").asText();
        } while (!from.isEmpty());
        assertThat(all)
                .extracting(each -> each.path("tenant").asText())
                .contains("default", us.name(), them.name())
                .doesNotHaveDuplicates()
                .isSorted();
        assertThat(all)
                .filteredOn(each -> each.path("tenant").asText().equals(them.name()))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.path("apiKeys").asInt()).isEqualTo(1);
                    assertThat(each.path("live").asInt()).isPositive();
                });
        assertThat(described("GET", TENANTS, 200, operator.get(TENANTS)).path("items"))
                .hasSameSizeAs(all);

        assertThat(operator.get(TENANTS + "?cursor=x").problem()).isEqualTo("validation");
        assertThat(operator.get(TENANTS + "?limit=0").problem()).isEqualTo("validation");
        assertThat(operator.get(TENANTS + "/" + them.name()).problem()).isEqualTo("not-found");
        theirs.cancel(open);
        theirs.awaitEnd(open);
    }

    @Test
    void aTenantTakesUpWhatItsQuotasAllow() {
        assertThat(put(theirs, "{\"live\": 0}").problem()).isEqualTo("forbidden");
        assertThat(theirs.get(QUOTAS_OF.replace("{tenant}", them.name())).problem())
                .isEqualTo("forbidden");
        assertThat(put(operator, "{\"lives\": 2}").problem()).isEqualTo("validation");
        assertThat(put(operator, "{\"live\": -1}").problem()).isEqualTo("validation");
        JsonNode set = described(
                "PUT", QUOTAS_OF, 200, put(operator, "{\"live\": 2, \"toolCalls\": 100, \"storedBytes\": 100}"));
        assertThat(set.at("/quotas/live/limit").asInt()).isEqualTo(2);
        assertThat(set.at("/quotas/live/own").asBoolean()).isTrue();
        assertThat(described("GET", QUOTAS, 200, theirs.get(QUOTAS))
                        .at("/quotas/storedBytes/limit")
                        .asInt())
                .isEqualTo(100);
        assertThat(described("GET", QUOTAS, 200, api.get(QUOTAS))
                        .at("/quotas/live/limit")
                        .asInt())
                .isZero();
        assertThat(operator.get("/api/v1/audit?action=quota.change").text()).contains(them.name());

        List<String> living = new ArrayList<>(List.of(theirs.submit(WAITS)));
        String three =
                "{\"items\": [{\"code\": \"for (;;) await sleep(200)\"}, {\"code\": \"return 1\"}, {\"code\": \"return 2\"}]";
        assertThat(theirs.post(BATCHES, three + ", \"atomic\": true}").problem())
                .isEqualTo("quota-exceeded");
        JsonNode batch = described("POST", BATCHES, 202, theirs.post(BATCHES, three + "}"));
        living.add(batch.at("/items/0/execution").asText());
        assertThat(batch.at("/items/1/problem/type").asText()).isEqualTo("urn:sallyport:problem:quota-exceeded");
        assertThat(batch.at("/items/2/problem/quota").asText()).isEqualTo("live");
        Answer refused = theirs.send(theirs.submission(WAITS.json()));
        JsonNode problem = described("POST", Api.EXECUTIONS, 429, refused);
        assertThat(refused.header("Retry-After")).contains("2");
        assertThat(problem.path("quota").asText()).isEqualTo("live");
        assertThat(problem.path("limit").asInt()).isEqualTo(2);
        assertThat(problem.path("detail").asText()).contains("the quota 'live' of this tenant is 2", "cancel some");
        assertThat(api.send(api.submission(Submission.javascript("return 1").json()))
                        .status())
                .as("the others")
                .isEqualTo(202);

        living.forEach(theirs::cancel);
        living.forEach(theirs::awaitEnd);
        Await.until(
                "there is room again",
                Duration.ofSeconds(60),
                () -> theirs.send(theirs.submission(
                                        Submission.javascript("return 1").json()))
                                .status()
                        == 202);
        described("PUT", QUOTAS_OF, 200, put(operator, "{\"toolCalls\": 100, \"storedBytes\": 100}"));
        JsonNode calls = Await.value(
                "the quota has been heard of",
                Duration.ofSeconds(60),
                () -> Optional.of(theirs.run(Submission.javascript("""
                        let made = 0;
                        try {
                            for (; made < 150; made++) await demo.clock();
                        } catch (e) { return [made <= 100, e.code, e.details.quota, e.details.limit]; }
                        return made""")))
                        .filter(run -> run.path("result").isArray()));
        assertThat(calls.path("result").toString()).isEqualTo("[true,\"quota-exceeded\",\"toolCalls\",100]");
        JsonNode kept = theirs.run(Submission.javascript("await artifacts.write('a', 'x'.repeat(60));"
                + " return await artifacts.write('b', 'x'.repeat(60)).then(() => 'kept', (e) => e.code)"));
        assertThat(kept.path("result").asText()).as(kept.toString()).isEqualTo("quota-exceeded");
        put(operator, "{}").expect(200);
        assertThat(api.run(Submission.javascript("return typeof await demo.clock()"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }
}
