package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Budgets for the cost of calls, and quotas of a tenant, from the REST API to the tool. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BudgetsIT {
    private static final String POLICIES = "/api/v1/policies";
    private static final String COSTS = "/api/v1/costs";
    private static final String QUOTAS = "/api/v1/quotas";
    private static final String TENANT_QUOTAS = "/api/v1/tenants/{tenant}/quotas";
    private static final String TENANTS = "/api/v1/tenants";
    private static final String BATCHES = "/api/v1/batches";
    private static final SubmissionBody WAITING_SUBMISSION = SubmissionBody.javascript("for (;;) await sleep(200)");

    /** Client with a key of the tenant that operates the installation. */
    private final RestClient operator;

    private final TestTenant tenant;
    private final TestTenant otherTenant;
    private final RestClient api;
    private final RestClient otherApi;
    private final OpenApiResponseValidator description;

    /** Its quotas concern no other test: the executions of its schedules end some time after these. */
    private final TestTenant scheduleTenant;

    private final RestClient scheduleApi;

    BudgetsIT(RestClient operator, TestTenant us, TestTenant them, TestTenant schedules) {
        this.operator = operator;
        this.tenant = us;
        this.otherTenant = them;
        this.scheduleTenant = schedules;
        this.scheduleApi = schedules.api();
        this.api = us.api();
        this.otherApi = them.api();
        this.description = OpenApiResponseValidator.of(operator);
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private void publishPolicy(RestClient whose, String members) {
        assertDescribed(
                "POST",
                POLICIES,
                201,
                whose.post(POLICIES, "{\"document\": {\"rules\": [], " + members + "}, \"comment\": \"costs\"}"));
    }

    private JsonNode getCosts(RestClient whose, String query) {
        return assertDescribed("GET", COSTS, 200, whose.get(COSTS + query));
    }

    private RestResponse putQuotas(RestClient whose, String body) {
        return putQuotas(whose, otherTenant, body);
    }

    private static RestResponse putQuotas(RestClient whose, TestTenant of, String body) {
        return whose.send(whose.request(TENANT_QUOTAS.replace("{tenant}", of.name()))
                .header("Content-Type", "application/json")
                .PUT(RestClient.body(body)));
    }

    @Test
    void callsAreChargedRefusedBeyondTheBudgetAndReported() {
        publishPolicy(api, """
                "costs": [{"tools": ["demo.add"], "cost": 0.5, "multiplierPointer": "/a"},
                  {"tools": ["demo.echo"], "cost": 1}],
                "budgets": [{"name": "team", "scope": "tenant", "period": "month", "cost": 7}]
                """);
        JsonNode explained = assertDescribed(
                "POST",
                POLICIES + "/explain",
                200,
                api.post(POLICIES + "/explain", "{\"tool\": \"demo.add\", \"arguments\": {\"a\": 3, \"b\": 1}}"));
        assertThat(explained.path("cost").decimalValue()).isEqualByComparingTo("1.5");

        JsonNode free = api.run(SubmissionBody.javascript("return (await demo.clock()) !== null"));
        assertThat(free.has("cost")).isFalse();
        JsonNode first =
                api.run(SubmissionBody.javascript("await demo.echo(1); return await demo.add({ a: 3, b: 1 })"));
        assertThat(first.path("cost").decimalValue()).isEqualByComparingTo("2.5");
        assertThat(description.validate(
                        "GET",
                        RestClient.EXECUTIONS + "/{id}",
                        api.get(RestClient.EXECUTIONS + "/" + first.path("id").asText())))
                .isEmpty();

        JsonNode own = api.run(SubmissionBody.javascript("await demo.echo(1);"
                        + " return await demo.echo(2).catch((e) => [e.code, e.details.budget, e.details.remaining])")
                .with("limits", "{\"cost\": 1.25}"));
        assertThat(own.at("/limits/cost").decimalValue()).isEqualByComparingTo("1.25");
        assertThat(own.path("result").toString()).isEqualTo("[\"budget-exceeded\",\"limits.cost\",0.25]");

        JsonNode overBudget = api.run(SubmissionBody.javascript("await demo.add({ a: 7, b: 0 });"
                + " return await demo.echo(2).catch((e) => [e.code, e.message, e.details.renewsAt])"));
        assertThat(overBudget.path("result").toString())
                .contains("budget-exceeded", "'demo.echo' costs 1", "'team' of this tenant (7 a month) has 0 left")
                .contains("-01T00:00:00Z");
        assertThat(api.getTrace(overBudget.path("id").asText()).toString()).contains("budget/team");

        JsonNode byTool = getCosts(api, "");
        assertThat(byTool.path("items").findValuesAsText("name")).containsExactly("demo.add", "demo.echo");
        assertThat(byTool.at("/items/0/cost").decimalValue()).isEqualByComparingTo("5");
        assertThat(byTool.at("/items/1/calls").asInt()).isEqualTo(2);
        assertThat(getCosts(api, "?by=key&since=2026-01-01").path("items")).hasSize(1);
        assertThat(getCosts(api, "?by=day&limit=5").path("items")).hasSize(1);
        assertThat(getCosts(api, "?by=tenant").toString()).contains("\"cost\":7,");
        assertThat(api.get(COSTS + "?by=all").problemType()).isEqualTo("validation");
        assertThat(api.get(COSTS + "?since=yesterday").problemType()).isEqualTo("validation");

        assertThat(getCosts(otherApi, "").toString()).doesNotContain("demo.add");
        assertThat(getCosts(otherApi, "?by=tenant").toString()).doesNotContain("\"cost\":7,");
        assertThat(operator.get("/metrics").text()).contains("sallyport_tool_cost_total{backend=\"demo\"}");
    }

    @Test
    void installationOperatorListsAllTenants() {
        String open = otherApi.submit(WAITING_SUBMISSION);
        otherApi.awaitRunning(open);

        assertThat(otherApi.get(TENANTS).problemType()).isEqualTo("forbidden");
        List<JsonNode> all = new ArrayList<>();
        String from = "";
        do {
            JsonNode page = assertDescribed("GET", TENANTS, 200, operator.get(TENANTS + "?limit=1" + from));
            all.add(page.at("/items/0"));
            from = page.path("next").isNull()
                    ? ""
                    : "&cursor=" + page.path("next").asText();
        } while (!from.isEmpty());
        assertThat(all)
                .extracting(each -> each.path("tenant").asText())
                .contains("default", tenant.name(), otherTenant.name())
                .doesNotHaveDuplicates()
                .isSorted();
        assertThat(all)
                .filteredOn(each -> each.path("tenant").asText().equals(otherTenant.name()))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.path("apiKeys").asInt()).isEqualTo(1);
                    assertThat(each.path("live").asInt()).isPositive();
                });
        assertThat(assertDescribed("GET", TENANTS, 200, operator.get(TENANTS)).path("items"))
                .hasSameSizeAs(all);

        assertThat(operator.get(TENANTS + "?cursor=x").problemType()).isEqualTo("validation");
        assertThat(operator.get(TENANTS + "?limit=0").problemType()).isEqualTo("validation");
        assertThat(operator.get(TENANTS + "/" + otherTenant.name()).problemType())
                .isEqualTo("not-found");
        otherApi.cancel(open);
        otherApi.awaitEnd(open);
    }

    /** Creates a schedule of rows that is due each second; returns its path. */
    private String createScheduleOfRows(String name, String rows) {
        scheduleApi
                .post(
                        "/api/v1/capabilities",
                        "{\"name\": \"quota." + name + "\", \"version\": \"1.0.0\", \"code\": \"return args.row\"}")
                .expectStatus(201);
        String schedule = "/api/v1/schedules/"
                + scheduleApi
                        .post(
                                "/api/v1/schedules",
                                "{\"name\": \"" + name + "\", \"everyMillis\": 1000, \"paused\": true,"
                                        + " \"batch\": {\"capability\": \"quota." + name + "\", \"atomic\": true}}")
                        .expectStatus(201)
                        .json()
                        .path("id")
                        .asText();
        scheduleApi
                .send(scheduleApi
                        .request(schedule + "/rows")
                        .header("Content-Type", "text/csv")
                        .PUT(BodyPublishers.ofString(rows)))
                .expectStatus(200);
        scheduleApi.post(schedule + "/resume", "{}").expectStatus(200);
        return schedule;
    }

    @Test
    void scheduleWhoseBatchIsLargerThanTheQuotaIsPaused() {
        putQuotas(operator, scheduleTenant, "{\"live\": 2}").expectStatus(200);
        String schedule = createScheduleOfRows("large", "row\n1\n2\n3\n");
        Await.until(
                "it is paused",
                Duration.ofSeconds(60),
                () -> scheduleApi.get(schedule).json().path("paused").asBoolean());
        assertThat(scheduleApi.get(schedule).json().path("pauseReason").asText())
                .isEqualTo("its batch has 3 executions, and a quota of the tenant allows at most 2");
        assertThat(scheduleApi.get(schedule + "/batches").json().path("items")).isEmpty();
        scheduleApi.send(scheduleApi.request(schedule).DELETE()).expectStatus(204);
        putQuotas(operator, scheduleTenant, "{}").expectStatus(200);
    }

    @Test
    void batchOfAScheduleWaitsForTheQuota() {
        putQuotas(operator, scheduleTenant, "{\"live\": 1}").expectStatus(200);
        String living = scheduleApi.submit(WAITING_SUBMISSION);
        String schedule = createScheduleOfRows("waiting", "row\n1\n");
        Await.until(
                "it is delayed",
                Duration.ofSeconds(60),
                () -> scheduleApi
                        .get(schedule)
                        .json()
                        .path("delayReason")
                        .asText()
                        .equals("the tenant's quota 'live', 1, is used up"));
        assertThat(scheduleApi.get(schedule).json().path("paused").asBoolean()).isFalse();
        scheduleApi.cancel(living);
        scheduleApi.awaitEnd(living);
        Await.until(
                "it ran",
                Duration.ofSeconds(120),
                () -> !scheduleApi
                        .get(schedule + "/batches")
                        .json()
                        .path("items")
                        .isEmpty());
        scheduleApi.send(scheduleApi.request(schedule).DELETE()).expectStatus(204);
        putQuotas(operator, scheduleTenant, "{}").expectStatus(200);
    }

    @Test
    void quotasLimitTheUsageOfATenant() {
        assertThat(putQuotas(otherApi, "{\"live\": 0}").problemType()).isEqualTo("forbidden");
        assertThat(otherApi.get(TENANT_QUOTAS.replace("{tenant}", otherTenant.name()))
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(putQuotas(operator, "{\"lives\": 2}").problemType()).isEqualTo("validation");
        assertThat(putQuotas(operator, "{\"live\": -1}").problemType()).isEqualTo("validation");
        JsonNode set = assertDescribed(
                "PUT",
                TENANT_QUOTAS,
                200,
                putQuotas(operator, "{\"live\": 2, \"toolCalls\": 100, \"storedBytes\": 100}"));
        assertThat(set.at("/quotas/live/limit").asInt()).isEqualTo(2);
        assertThat(set.at("/quotas/live/overridden").asBoolean()).isTrue();
        assertThat(assertDescribed("GET", QUOTAS, 200, otherApi.get(QUOTAS))
                        .at("/quotas/storedBytes/limit")
                        .asInt())
                .isEqualTo(100);
        assertThat(assertDescribed("GET", QUOTAS, 200, api.get(QUOTAS))
                        .at("/quotas/live/limit")
                        .asInt())
                .isZero();
        assertThat(operator.get("/api/v1/audit?action=quota.change").text()).contains(otherTenant.name());

        List<String> living = new ArrayList<>(List.of(otherApi.submit(WAITING_SUBMISSION)));
        String three = "{\"items\": [{\"code\": \"for (;;) await sleep(200)\"}, {\"code\": \"return 1\"}, {\"code\": "
                + "\"return 2\"}]";
        assertThat(otherApi.post(BATCHES, three + ", \"atomic\": true}").problemType())
                .isEqualTo("quota-exceeded");
        JsonNode batch = assertDescribed("POST", BATCHES, 202, otherApi.post(BATCHES, three + "}"));
        living.add(batch.at("/items/0/execution").asText());
        assertThat(batch.at("/items/1/problem/type").asText()).isEqualTo("urn:sallyport:problem:quota-exceeded");
        assertThat(batch.at("/items/2/problem/quota").asText()).isEqualTo("live");
        RestResponse refused = otherApi.send(otherApi.submissionRequest(WAITING_SUBMISSION.json()));
        JsonNode problem = assertDescribed("POST", RestClient.EXECUTIONS, 429, refused);
        assertThat(refused.header("Retry-After")).contains("2");
        assertThat(problem.path("quota").asText()).isEqualTo("live");
        assertThat(problem.path("limit").asInt()).isEqualTo(2);
        assertThat(problem.path("detail").asText()).contains("the quota 'live' of this tenant is 2", "cancel some");
        assertThat(api.send(api.submissionRequest(
                                SubmissionBody.javascript("return 1").json()))
                        .status())
                .as("the others")
                .isEqualTo(202);

        living.forEach(otherApi::cancel);
        living.forEach(otherApi::awaitEnd);
        Await.until(
                "there is room again",
                Duration.ofSeconds(60),
                () -> otherApi.send(otherApi.submissionRequest(
                                        SubmissionBody.javascript("return 1").json()))
                                .status()
                        == 202);
        assertDescribed(
                "PUT", TENANT_QUOTAS, 200, putQuotas(operator, "{\"toolCalls\": 100, \"storedBytes\": 2000000}"));
        JsonNode calls = Await.untilPresent(
                "the quota has been heard of",
                Duration.ofSeconds(60),
                () -> Optional.of(otherApi.run(SubmissionBody.javascript("""
                        let made = 0;
                        try {
                            for (; made < 150; made++) await demo.clock();
                        } catch (e) { return [made <= 100, e.code, e.details.quota, e.details.limit]; }
                        return made""")))
                        .filter(run -> run.path("result").isArray()));
        assertThat(calls.path("result").toString()).isEqualTo("[true,\"quota-exceeded\",\"toolCalls\",100]");
        JsonNode kept = otherApi.run(SubmissionBody.javascript("await artifacts.write('a', 'x'.repeat(1_200_000));"
                + " return await artifacts.write('b', 'x'.repeat(1_200_000)).then(() => 'kept', (e) => e.code)"));
        assertThat(kept.path("result").asText()).as(kept.toString()).isEqualTo("quota-exceeded");
        putQuotas(operator, "{}").expectStatus(200);
        assertThat(api.run(SubmissionBody.javascript("return typeof await demo.clock()"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }
}
