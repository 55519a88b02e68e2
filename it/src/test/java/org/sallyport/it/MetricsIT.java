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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What Prometheus reads. */
@ExtendWith(Servers.class)
class MetricsIT {
    private static final String METRICS = "/metrics";
    private static final Pattern NAME = Pattern.compile("`(sallyport_\\w+)`");

    private final Api api;

    MetricsIT(Api api) {
        this.api = api;
    }

    private String figures() {
        Answer answer = api.get(METRICS).expect(200);
        assertThat(answer.header("Content-Type")).startsWith("text/plain");
        return answer.text();
    }

    private double value(String series) {
        return figures()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    /** Who waited for an end may hear of it before it is counted. */
    private void awaitAtLeast(String series, double least) {
        Await.until(series + " to be " + least, Duration.ofSeconds(60), () -> value(series) >= least);
    }

    @Test
    void whatRunsIsCounted() {
        String ended = "sallyport_executions_ended_total{state=\"COMPLETED\"}";
        String fine = "sallyport_tool_calls_total{backend=\"demo\",result=\"ok\"}";
        String failed = "sallyport_tool_calls_total{backend=\"demo\",result=\"tool-failed\"}";
        String runs = "sallyport_execution_run_seconds_count";
        List<Double> before = List.of(value(ended), value(fine), value(failed), value(runs));

        api.run(Submission.javascript("for (let i = 0; i < 3; i++) await demo.echo(i);"
                + " await demo.fail({ message: 'no' }).catch(() => 0); return 1"));

        awaitAtLeast(ended, before.get(0) + 1);
        awaitAtLeast(fine, before.get(1) + 3);
        awaitAtLeast(failed, before.get(2) + 1);
        awaitAtLeast(runs, before.get(3) + 1);
        assertThat(value("sallyport_database_up")).isEqualTo(1);
        assertThat(value("sallyport_lease_held")).isEqualTo(1);
        assertThat(value("sallyport_workers")).isGreaterThanOrEqualTo(1);
        assertThat(figures()).contains("sallyport_executions{state=\"PENDING\"}", "jvm_memory_used_bytes");
    }

    @Test
    void refusedCallsAreCountedByTheirReasons() {
        String policies = "/api/v1/policies";
        JsonNode before =
                api.get(policies).expect(200).json().path("items").path(0).path("document");
        api.post(policies, """
                        {"document": {"rules": [{"name": "not-counted", "tools": ["demo.echo"],
                          "when": [{"at": "", "is": "what figures refuse"}], "then": "deny"}]}}""").expect(201);
        try {
            String series = "sallyport_tool_calls_total{backend=\"demo\",result=\"%s\"}";
            List<String> codes = List.of("denied", "not-granted", "invalid-arguments");
            List<Double> counts =
                    codes.stream().map(code -> value(series.formatted(code))).toList();
            JsonNode ended = api.run(Submission.javascript("""
                            const calls = [() => demo.echo('what figures refuse'), () => tools.demo.outbox(), () => demo.add({ a: 'x' })];
                            const heard = [];
                            for (const call of calls) heard.push(await call().then(() => 'ok', (e) => e.code));
                            return heard;""").with("grants", "[\"demo.echo\", \"demo.add\"]"));
            assertThat(ended.path("result"))
                    .as(ended.toString())
                    .isEqualTo(Json.read("[\"denied\",\"not-granted\",\"invalid-arguments\"]"));
            for (int i = 0; i < codes.size(); i++) {
                awaitAtLeast(series.formatted(codes.get(i)), counts.get(i) + 1);
            }
        } finally {
            api.post(policies, "{\"document\": " + (before.isObject() ? before : "{\"rules\":[]}") + "}")
                    .expect(201);
        }
    }

    @Test
    void whoeverCallsManyNamesMakesFewSeries() {
        long before = figures().lines().count();
        api.run(Submission.javascript(
                "for (let i = 0; i < 400; i++)" + " await tools['made-up-' + i].tool().catch(() => 0); return 1"));
        assertThat(figures().lines().count()).isLessThan(before + 2 * 25);
        assertThat(figures()).contains("backend=\"other\"").doesNotContain("made-up-");
    }

    @Test
    void onlyWhoRunsTheServiceSeesThem() {
        assertThat(api.anonymous().get(METRICS).status()).isEqualTo(401);
        String key = api.post("/api/v1/api-keys", "{\"name\":\"m\",\"roles\":[\"submitter\",\"approver\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
        assertThat(api.as(key).get(METRICS).problem()).isEqualTo("forbidden");
    }

    @Test
    void thePageAndTheDashboardNameWhatThereIs() throws IOException {
        TreeSet<String> told = new TreeSet<>();
        Matcher names = NAME.matcher(Files.readString(Checkout.home().resolve("docs/metrics.md")));
        while (names.find()) {
            told.add(names.group(1));
        }
        TreeSet<String> there = new TreeSet<>();
        figures()
                .lines()
                .filter(line -> line.startsWith("# HELP sallyport_"))
                .forEach(line -> there.add(line.split(" ")[2]));
        assertThat(there).isSubsetOf(told);
        String dashboard = Files.readString(Checkout.home().resolve("docs/grafana/sallyport.json"));
        Matcher used = Pattern.compile("sallyport_\\w+").matcher(dashboard);
        while (used.find()) {
            assertThat(told).contains(used.group().replaceFirst("_(bucket|sum|count)$", ""));
        }
    }
}
