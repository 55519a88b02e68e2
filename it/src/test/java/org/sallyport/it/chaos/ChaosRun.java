package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.TimingCalibration;

/** One chaos run: generates load, kills nodes, waits until all executions have ended, and checks their histories. */
final class ChaosRun {
    /** How long the run waits for all executions to end. The promised time is shorter. */
    private static final long SETTLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(4);
    /** Promised time from the last start until all executions have ended on a machine without other load. */
    private static final Duration PROMISED_SETTLE_TIME = Duration.ofSeconds(60);

    private static final Duration PREPARATION_TIMEOUT = Duration.ofSeconds(60);
    private static final int POLL_MILLIS = 200;

    private final ChaosPlan plan;
    private final ChaosEnvironment environment;
    private final RetryingClient client;
    private final RestClient api;
    private final HistoryChecker checker = new HistoryChecker();
    private final List<DatabaseSnapshot> earlierSnapshots = new ArrayList<>();

    ChaosRun(ChaosPlan plan, ChaosEnvironment installation) {
        this.plan = plan;
        this.environment = installation;
        this.client = new RetryingClient(installation::nextApi);
        this.api = installation.nodes().get(0).api();
    }

    /** Performs the whole run and returns its report. */
    ChaosReport run() throws InterruptedException {
        ChaosPreparation.publish(api);
        for (ChaosNode node : environment.nodes()) {
            Await.until("all nodes know the costs", PREPARATION_TIMEOUT, () -> ChaosPreparation.isKnownTo(node.api()));
        }
        ChaosSchedule schedule = ChaosSchedule.create(api);
        try (ChaosCallbackReceiver receiver = ChaosCallbackReceiver.start()) {
            ChaosLoad load = ChaosLoad.start(plan.seed(), client, receiver.url());
            ChaosResponder responder = ChaosResponder.start(client, load::accepted);
            try (responder) {
                return run(load, schedule, receiver);
            }
        }
    }

    private ChaosReport run(ChaosLoad load, ChaosSchedule schedule, ChaosCallbackReceiver receiver)
            throws InterruptedException {
        TimingCalibration pace = TimingCalibration.of(load::timeTrivialScript);
        NodeKiller killer = new NodeKiller(environment.nodes(), load, new Random(plan.seed()));
        try (load) {
            killNodes(killer, load);
        }
        schedule.pause(client);
        long ready = System.nanoTime();
        Map<String, ChaosSubmission> accepted = new LinkedHashMap<>(load.accepted());
        schedule.executions(api).forEach(id -> accepted.put(id, ChaosSchedule.SUBMISSION));
        Map<String, JsonNode> ended = awaitAllEnded(accepted.keySet(), ready);
        awaitBatchesEnded(load.acceptedBatches(), ready);
        Duration settled = Duration.ofNanos(System.nanoTime() - ready);
        ChaosReport.SettleTime rest = new ChaosReport.SettleTime(settled, pace.adjustLimit(PROMISED_SETTLE_TIME));
        // Includes the execution of the last timing measurement, which has also ended.
        accepted.putAll(load.accepted());
        awaitCallbacks(load, receiver, ended.keySet(), System.nanoTime());

        List<ExecutionHistory> histories = readHistories(accepted, ended);
        List<String> leftovers = killer.findLeftoverProcesses();
        environment.nodes().forEach(node -> node.server().kill());
        DatabaseSnapshot snapshot = environment.readSnapshot();
        ChaosExpectations expectations = new ChaosExpectations(snapshot.callsByCounter());
        for (ExecutionHistory history : histories) {
            ChaosSubmission job = accepted.get(history.id());
            checker.checkExecution(
                    history, job == null ? ExpectedEnd.completed(any -> true) : expectations.expectedEnd(job));
            if (load.executionsWithCallback().contains(history.id())) {
                checker.checkCallback(history, receiver.bodies(history.id()));
            }
        }
        checkDatabase(accepted, load.erased(), snapshot);
        return new ChaosReport(
                plan,
                killer.deaths(),
                killer.pauses(),
                load,
                client,
                checker,
                expectations.unknownOutcomes(),
                leftovers,
                rest);
    }

    private void killNodes(NodeKiller killer, ChaosLoad load) throws InterruptedException {
        for (int kill = 0; kill < plan.kills(); kill++) {
            List<ChaosNode> dead = killer.kill();
            if (kill == plan.kills() - 1) {
                load.stopSubmitting();
            } else if (killer.shouldKillNextStart()) {
                kill++;
                dead.get(0).server().startProcess();
                killer.killDuringStart(dead.get(0));
            }
            earlierSnapshots.add(environment.readSnapshot());
            dead.forEach(node -> node.server().startProcess());
            dead.forEach(node -> node.server().awaitReady());
        }
    }

    /** Waits for the executions to end and returns each one in its first observed terminal state. */
    private Map<String, JsonNode> awaitAllEnded(Set<String> accepted, long ready) throws InterruptedException {
        Map<String, JsonNode> ended = new LinkedHashMap<>();
        List<String> open = new ArrayList<>(accepted);
        while (!open.isEmpty() && System.nanoTime() - ready < SETTLE_TIMEOUT_NANOS) {
            for (String id : List.copyOf(open)) {
                RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + id);
                if (answer.status() == 404) {
                    open.remove(id); // the check of the database reports it as lost
                } else if (RestClient.isFinished(answer.expectStatus(200).json())) {
                    ended.put(id, answer.json());
                    open.remove(id);
                }
            }
            Thread.sleep(POLL_MILLIS);
        }
        return ended;
    }

    /** Waits until each batch counts all its items as ended, and checks the batches. */
    private void awaitBatchesEnded(Map<String, Integer> batches, long ready) throws InterruptedException {
        for (Map.Entry<String, Integer> each : batches.entrySet()) {
            String path = "/api/v1/batches/" + each.getKey();
            pollUntil(() -> api.get(path).status() == 404 || hasEnded(path, each.getValue()), ready);
            RestResponse answer = api.get(path);
            if (answer.status() == 404) {
                checker.report(HistoryRule.BATCHES, "lost: " + each.getKey());
            } else {
                checker.checkBatch(answer.expectStatus(200).json(), each.getValue());
            }
        }
    }

    private boolean hasEnded(String batch, int items) {
        return HistoryChecker.hasEnded(api.get(batch).expectStatus(200).json(), items);
    }

    private static void awaitCallbacks(ChaosLoad load, ChaosCallbackReceiver receiver, Set<String> ended, long from)
            throws InterruptedException {
        for (String id : load.executionsWithCallback()) {
            pollUntil(() -> !ended.contains(id) || !receiver.bodies(id).isEmpty(), from);
        }
    }

    private static void pollUntil(BooleanSupplier condition, long from) throws InterruptedException {
        while (!condition.getAsBoolean() && System.nanoTime() - from < SETTLE_TIMEOUT_NANOS) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * Reads the histories of the executions that exist and of those that are nested in them.
     *
     * @param ended the executions as they were first seen ended, by id
     */
    private List<ExecutionHistory> readHistories(Map<String, ChaosSubmission> accepted, Map<String, JsonNode> ended) {
        List<ExecutionHistory> histories = new ArrayList<>();
        accepted.forEach((id, job) -> {
            ExecutionHistory.read(api, id).ifPresent(history -> {
                histories.add(history);
                JsonNode before = ended.get(id);
                if (before != null) {
                    checker.checkUnchanged(before, history.execution());
                }
            });
            if (job.script().nestedCount() > 0) {
                api.listAll(RestClient.EXECUTIONS + "?limit=200&parent=" + id).stream()
                        .flatMap(child ->
                                ExecutionHistory.read(api, child.path("id").asText()).stream())
                        .forEach(histories::add);
            }
        });
        return histories;
    }

    private void checkDatabase(Map<String, ChaosSubmission> accepted, Set<String> erased, DatabaseSnapshot snapshot) {
        Set<String> known = new HashSet<>(accepted.keySet());
        accepted.forEach((id, job) -> {
            Set<String> nested = snapshot.nestedIn(id);
            if (snapshot.states().containsKey(id)) {
                checker.checkNested(id, job.script().nestedCount(), nested);
            }
            known.addAll(nested);
        });
        checker.checkStored(known, snapshot.states().keySet());
        checker.checkConnectorCalls(environment.connectorCalls());
        checker.checkCounters(snapshot.counterTotals());
        checker.checkScheduleTimes(snapshot.scheduleTimes(), ChaosSchedule.INTERVAL);
        snapshot.findChanges(earlierSnapshots, erased).forEach(change -> checker.report(HistoryRule.UNCHANGED, change));
        environment.forbiddenChanges().stream()
                .filter(change -> erased.stream().noneMatch(change::contains))
                .forEach(change -> checker.report(HistoryRule.UNCHANGED, change));
        snapshot.activeBatches().forEach(id -> checker.report(HistoryRule.BATCHES, "may still start items: " + id));
    }
}
