package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.TimingCalibration;

/** One chaos run: generates load, kills the node, waits until all executions have ended, and verifies the result. */
final class ChaosRun {
    /** How long the run waits for all executions to end. The promised time is shorter. */
    private static final long SETTLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(4);
    /** Promised time from the last start until all executions have ended on a machine without other load. */
    private static final Duration PROMISED_SETTLE_TIME = Duration.ofSeconds(60);

    private final ChaosPlan plan;
    private final ChaosEnvironment environment;
    private final List<DatabaseSnapshot> earlierSnapshots = new ArrayList<>();

    ChaosRun(ChaosPlan plan, ChaosEnvironment installation) {
        this.plan = plan;
        this.environment = installation;
    }

    /** Performs the whole run and returns its report. */
    ChaosReport run() throws InterruptedException {
        SallyportServer server = environment.server();
        ChaosLoad load = ChaosLoad.start(plan.seed(), server::api);
        TimingCalibration pace = TimingCalibration.of(load::timeTrivialScript);
        NodeKiller killer = new NodeKiller(environment, load, new Random(plan.seed()));
        try (load) {
            for (int kill = 0; kill < plan.kills(); kill++) {
                killer.kill();
                if (kill == plan.kills() - 1) {
                    load.stopSubmitting();
                } else if (killer.shouldKillNextStart()) {
                    kill++;
                    server.startProcess();
                    killer.killDuringStart();
                }
                earlierSnapshots.add(environment.readSnapshot());
                server.startProcess();
                server.awaitReady();
            }
        }
        long ready = System.nanoTime();
        Map<String, ChaosSubmission> accepted = load.accepted();
        Map<String, JsonNode> ended = awaitAllEnded(server.api(), accepted, ready);
        List<String> unfinished = unfinished(accepted, ended);
        List<String> openBatches = awaitBatchesFinished(server.api(), load.acceptedBatches(), ready);
        ChaosReport.SettleTime rest = new ChaosReport.SettleTime(
                Duration.ofNanos(System.nanoTime() - ready), pace.adjustLimit(PROMISED_SETTLE_TIME));
        // Includes the execution of the last timing measurement, which has also ended.
        accepted = load.accepted();
        List<String> changed = new ArrayList<>();
        ended.forEach((id, was) -> {
            JsonNode is = server.api().getExecution(id);
            if (!is.equals(was)) {
                changed.add("was " + was + " and is " + is);
            }
        });
        List<String> leftovers = killer.findLeftoverProcesses();
        server.kill();
        DatabaseSnapshot books = environment.readSnapshot();
        changed.addAll(ChaosVerifier.findChanges(earlierSnapshots, books));
        changed.addAll(environment.forbiddenChanges());
        books.activeBatches().forEach(id -> openBatches.add("may still start items: batch " + id));
        ChaosVerifier comparison =
                new ChaosVerifier(accepted, books, environment.failpoints().connectorCalls());
        ended.forEach(comparison::checkExecution);
        return new ChaosReport(
                plan, killer.deaths(), load, comparison, changed, unfinished, openBatches, leftovers, rest);
    }

    /** Waits for the executions to end and returns each one in its first observed terminal state. */
    private static Map<String, JsonNode> awaitAllEnded(
            RestClient api, Map<String, ChaosSubmission> accepted, long ready) throws InterruptedException {
        Map<String, JsonNode> ended = new LinkedHashMap<>();
        List<String> open = new ArrayList<>(accepted.keySet());
        while (!open.isEmpty() && System.nanoTime() - ready < SETTLE_TIMEOUT_NANOS) {
            for (String id : List.copyOf(open)) {
                RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + id);
                if (answer.status() == 404) {
                    open.remove(id); // the verifier reports it as lost
                } else if (RestClient.isFinished(answer.expectStatus(200).json())) {
                    ended.put(id, answer.json());
                    open.remove(id);
                }
            }
            Thread.sleep(200);
        }
        return ended;
    }

    /** Waits until each batch counts all its items as ended; returns the others, and those that do not exist. */
    private static List<String> awaitBatchesFinished(RestClient api, Map<String, Integer> batches, long ready)
            throws InterruptedException {
        List<String> open = new ArrayList<>(batches.keySet());
        List<String> lost = new ArrayList<>();
        while (!open.isEmpty() && System.nanoTime() - ready < SETTLE_TIMEOUT_NANOS) {
            for (String id : List.copyOf(open)) {
                RestResponse answer = api.get("/api/v1/batches/" + id);
                if (answer.status() == 404) {
                    lost.add("lost: batch " + id);
                    open.remove(id);
                } else if (hasEnded(answer.expectStatus(200).json(), batches.getOrDefault(id, 0))) {
                    open.remove(id);
                }
            }
            Thread.sleep(200);
        }
        open.forEach(id -> lost.add("not ended within four minutes: batch " + id));
        return lost;
    }

    private static boolean hasEnded(JsonNode batch, int items) {
        int counted = 0;
        for (JsonNode count : batch.path("counts")) {
            counted += count.asInt();
        }
        return batch.path("finished").asBoolean() && counted == items;
    }

    private static List<String> unfinished(Map<String, ChaosSubmission> accepted, Map<String, JsonNode> ended) {
        return accepted.keySet().stream().filter(id -> !ended.containsKey(id)).toList();
    }
}
