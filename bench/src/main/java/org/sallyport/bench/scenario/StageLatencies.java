package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.StageLatency;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.TimedResponse;

/**
 * Splits the latency of an execution into stages at the times that the service reports. The database of the service
 * sets a time when its transaction begins, so the commit of a transaction belongs to the stage after that time.
 */
final class StageLatencies {
    private static final int PLAIN_REQUESTS = 100;

    private StageLatencies() {}

    static List<StageLatency> measure(BenchmarkClient client, List<TimedResponse> replies) throws Exception {
        LatencyRecorder accepted = new LatencyRecorder();
        LatencyRecorder queued = new LatencyRecorder();
        LatencyRecorder claimed = new LatencyRecorder();
        LatencyRecorder ran = new LatencyRecorder();
        LatencyRecorder answered = new LatencyRecorder();
        LatencyRecorder whole = new LatencyRecorder();
        for (TimedResponse reply : replies) {
            Instant running = runningAt(client.firstTracePage(reply.id()));
            accepted.record(Duration.between(reply.sentAt(), reply.timestamp("createdAt")));
            queued.record(reply.durationBetween("createdAt", "startedAt"));
            claimed.record(Duration.between(reply.timestamp("startedAt"), running));
            ran.record(Duration.between(running, reply.timestamp("finishedAt")));
            answered.record(Duration.between(reply.timestamp("finishedAt"), reply.receivedAt()));
            whole.record(reply.nanos());
        }
        LatencyRecorder hop = new ClosedLoop(1)
                .runTimes(PLAIN_REQUESTS, number -> client.requestWithoutKey().nanos())
                .latencies();
        List<StageLatency> stages = new ArrayList<>();
        stages.add(stage(
                "request to createdAt", "HTTP request read, API key and JSON checked, transaction begun", accepted));
        stages.add(stage(
                "createdAt to startedAt", "row inserted and committed, job message delivered to its listener", queued));
        stages.add(stage("startedAt to RUNNING", "claim committed, input read", claimed));
        stages.add(stage(
                "RUNNING to finishedAt",
                "script sent to worker, context created, script run, result returned, transaction begun",
                ran));
        stages.add(stage(
                "finishedAt to response",
                "outcome committed, request resumed, row read, HTTP response sent",
                answered));
        stages.add(stage("total", "", whole));
        stages.add(stage("(HTTP only)", "for comparison: a request without API key, answered 401", hop));
        return stages;
    }

    private static StageLatency stage(String name, String what, LatencyRecorder latencies) {
        return new StageLatency(name, what, latencies.p50(), latencies.p99(), latencies.mean());
    }

    private static Instant runningAt(JsonNode events) throws WrongResultException {
        for (JsonNode event : events) {
            if ("RUNNING".equals(event.path("state").asText())) {
                return Instant.parse(event.path("at").asText());
            }
        }
        throw new WrongResultException("a trace without the state RUNNING: " + events);
    }
}
