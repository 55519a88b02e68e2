package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** The metrics that Prometheus scrapes. */
@ExtendWith(ServerExtension.class)
class MetricsIT {
    private static final String METRICS = "/metrics";
    private static final Pattern METRIC_NAME = Pattern.compile("`(sallyport_\\w+)`");

    private final RestClient api;

    MetricsIT(RestClient api) {
        this.api = api;
    }

    private String scrapeMetrics() {
        RestResponse answer = api.get(METRICS).expectStatus(200);
        assertThat(answer.header("Content-Type")).startsWith("text/plain");
        return answer.text();
    }

    private double metricValue(String series) {
        return scrapeMetrics()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    /** Waits, because a client that waits for the end of an execution may be notified before the metric counts it. */
    private void awaitAtLeast(String series, double least) {
        Await.until(series + " to be " + least, Duration.ofSeconds(60), () -> metricValue(series) >= least);
    }

    @Test
    void executionsAndToolCallsAreCounted() {
        String ended = "sallyport_executions_ended_total{state=\"COMPLETED\"}";
        String fine = "sallyport_tool_calls_total{backend=\"demo\",result=\"ok\"}";
        String failed = "sallyport_tool_calls_total{backend=\"demo\",result=\"tool-failed\"}";
        String runs = "sallyport_execution_run_seconds_count";
        List<Double> before = List.of(metricValue(ended), metricValue(fine), metricValue(failed), metricValue(runs));

        api.run(SubmissionBody.javascript("for (let i = 0; i < 3; i++) await demo.echo(i);"
                + " await demo.fail({ message: 'no' }).catch(() => 0); return 1"));

        awaitAtLeast(ended, before.get(0) + 1);
        awaitAtLeast(fine, before.get(1) + 3);
        awaitAtLeast(failed, before.get(2) + 1);
        awaitAtLeast(runs, before.get(3) + 1);
        assertThat(metricValue("sallyport_database_up")).isEqualTo(1);
        assertThat(metricValue("sallyport_lease_held")).isEqualTo(1);
        assertThat(metricValue("sallyport_workers")).isGreaterThanOrEqualTo(1);
        assertThat(scrapeMetrics()).contains("sallyport_executions{state=\"PENDING\"}", "jvm_memory_used_bytes");
    }

    @Test
    void refusedCallsAreCountedByTheirReasons() {
        String policies = "/api/v1/policies";
        JsonNode before =
                api.get(policies).expectStatus(200).json().path("items").path(0).path("document");
        api.post(policies, """
                        {"document": {"rules": [{"name": "not-counted", "tools": ["demo.echo"],
                          "when": [{"at": "", "is": "what figures refuse"}],
                           "decision": "deny"}]}}""").expectStatus(201);
        try {
            String series = "sallyport_tool_calls_total{backend=\"demo\",result=\"%s\"}";
            List<String> codes = List.of("denied", "not-granted", "invalid-arguments");
            List<Double> counts = codes.stream()
                    .map(code -> metricValue(series.formatted(code)))
                    .toList();
            JsonNode ended = api.run(SubmissionBody.javascript("""
                            const calls = [() => demo.echo('what figures refuse'), () => tools.demo.outbox(), () => \
                            demo.add({ a: 'x' })];
                            const heard = [];
                            for (const call of calls) heard.push(await call().then(() => 'ok', (e) => e.code));
                            return heard;""").with("grants", "[\"demo.echo\", \"demo.add\"]"));
            assertThat(ended.path("result"))
                    .as(ended.toString())
                    .isEqualTo(TestJson.read("[\"denied\",\"not-granted\",\"invalid-arguments\"]"));
            for (int i = 0; i < codes.size(); i++) {
                awaitAtLeast(series.formatted(codes.get(i)), counts.get(i) + 1);
            }
        } finally {
            api.post(policies, "{\"document\": " + (before.isObject() ? before : "{\"rules\":[]}") + "}")
                    .expectStatus(201);
        }
    }

    @Test
    void blockedAttemptsAreCountedByTheirKinds() {
        String series = "sallyport_blocked_attempts_total{kind=\"%s\"}";
        List<String> kinds = List.of("global", "module", "tool");
        List<Double> counts =
                kinds.stream().map(kind -> metricValue(series.formatted(kind))).toList();
        api.run(SubmissionBody.javascript("for (let i = 0; i < 40; i++) try { process.exit() } catch {}\n"
                        + "try { require('net') } catch {}\n"
                        + "await tools.demo.outbox().catch(() => 0); return 1")
                .with("grants", "[\"demo.echo\"]"));
        awaitAtLeast(series.formatted("global"), counts.get(0) + 40);
        awaitAtLeast(series.formatted("module"), counts.get(1) + 1);
        awaitAtLeast(series.formatted("tool"), counts.get(2) + 1);
    }

    @Test
    void unknownToolNamesCreateFewSeries() {
        long before = scrapeMetrics().lines().count();
        api.run(SubmissionBody.javascript(
                "for (let i = 0; i < 400; i++)" + " await tools['made-up-' + i].tool().catch(() => 0); return 1"));
        assertThat(scrapeMetrics().lines().count()).isLessThan(before + 2 * 25);
        assertThat(scrapeMetrics()).contains("backend=\"other\"").doesNotContain("made-up-");
    }

    @Test
    void submittersAndApproversCannotReadTheMetrics() {
        assertThat(api.withoutKey().get(METRICS).status()).isEqualTo(401);
        String key = api.post("/api/v1/api-keys", "{\"name\":\"m\",\"roles\":[\"submitter\",\"approver\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        assertThat(api.withKey(key).get(METRICS).problemType()).isEqualTo("forbidden");
    }

    @Test
    void pageAndDashboardNameTheExistingMetrics() throws IOException {
        TreeSet<String> documented = new TreeSet<>();
        Matcher names =
                METRIC_NAME.matcher(Files.readString(CheckoutPaths.root().resolve("docs/metrics.md")));
        while (names.find()) {
            documented.add(names.group(1));
        }
        TreeSet<String> there = new TreeSet<>();
        scrapeMetrics()
                .lines()
                .filter(line -> line.startsWith("# HELP sallyport_"))
                .forEach(line -> there.add(line.split(" ")[2]));
        assertThat(there).isSubsetOf(documented);
        String dashboard = Files.readString(CheckoutPaths.root().resolve("docs/grafana/sallyport.json"));
        Matcher used = Pattern.compile("sallyport_\\w+").matcher(dashboard);
        while (used.find()) {
            assertThat(documented).contains(used.group().replaceFirst("_(bucket|sum|count)$", ""));
        }
    }
}
