package org.sallyport.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Latencies;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Stage;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;

/**
 * The way of one execution, cut at the times that the service shows. Its database sets a time when a transaction begins, so
 * what commits a transaction belongs to the stage after it.
 */
final class Stages {
    private static final int HOPS = 100;

    private Stages() {}

    static List<Stage> of(Client client, List<Reply> replies) throws Exception {
        Latencies accepted = new Latencies();
        Latencies queued = new Latencies();
        Latencies claimed = new Latencies();
        Latencies ran = new Latencies();
        Latencies answered = new Latencies();
        Latencies whole = new Latencies();
        for (Reply reply : replies) {
            Instant running = runningAt(client.trace(reply.id()));
            accepted.record(Duration.between(reply.sentAt(), reply.at("createdAt")));
            queued.record(reply.between("createdAt", "startedAt"));
            claimed.record(Duration.between(reply.at("startedAt"), running));
            ran.record(Duration.between(running, reply.at("finishedAt")));
            answered.record(Duration.between(reply.at("finishedAt"), reply.receivedAt()));
            whole.record(reply.nanos());
        }
        Latencies hop =
                new ClosedLoop(1).times(HOPS, number -> client.knock().nanos()).latencies();
        List<Stage> stages = new ArrayList<>();
        stages.add(stage("request to createdAt", "HTTP, key, JSON, checks, transaction begins", accepted));
        stages.add(stage("createdAt to startedAt", "row inserted and committed, job message, listener", queued));
        stages.add(stage("startedAt to RUNNING", "claim committed, input read", claimed));
        stages.add(stage("RUNNING to finishedAt", "worker: frames, context, script, result; transaction begins", ran));
        stages.add(stage("finishedAt to answer", "outcome committed, waiter woken, row read, HTTP", answered));
        stages.add(stage("the whole", "", whole));
        stages.add(stage("(HTTP alone)", "a request without a key and its 401, for comparison", hop));
        return stages;
    }

    private static Stage stage(String name, String what, Latencies latencies) {
        return new Stage(name, what, latencies.p50(), latencies.p99(), latencies.mean());
    }

    private static Instant runningAt(JsonNode events) throws WrongResultException {
        for (JsonNode event : events) {
            if ("RUNNING".equals(event.path("state").asText())) {
                return Instant.parse(event.path("at").asText());
            }
        }
        throw new WrongResultException("a trace without its start: " + events);
    }
}
