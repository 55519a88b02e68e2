package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.measure.AsyncOperation;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.OpenLoop;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.ServiceUnderTest;
import org.sallyport.bench.service.StateCounts;
import org.sallyport.bench.service.SubmissionResponse;

/**
 * P13: ten times as many scripts as a service can run, submitted at a fixed rate. Measures the responses, the memory
 * meanwhile, and the time to recover. The scripts hold slots and compute nothing, so that one small machine can both
 * produce and reject the overload.
 */
public final class OverloadBenchmark {
    private static final int MAX_LIVE = 8;
    private static final int MAX_QUEUED = 400;
    private static final long HOLD_MILLIS = 100;

    /** Settings of the service of this row: limits that the load exceeds. */
    public static final Map<String, Integer> SETTINGS =
            Map.of("sallyport.runner.max-live-executions", MAX_LIVE, "sallyport.limits.max-queued", MAX_QUEUED);

    private static final double OVERLOAD_FACTOR = 10;
    /** The schedule is accurate to some milliseconds, so the load must exceed the target by this factor. */
    private static final double MARGIN = 1.02;

    private static final int MAX_IN_FLIGHT = 256;
    private static final int CONCURRENCY = 4 * MAX_LIVE;
    private static final int CHECK_EVERY = 10;
    private static final Duration CAPACITY_TIME = Duration.ofSeconds(3);
    private static final Duration UNLOADED_TIME = Duration.ofSeconds(1);
    private static final Duration MAX_RECOVERY = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final long RETRY_MILLIS = 50;
    private static final long LIST_POLL_MILLIS = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ServiceUnderTest service;
    private final BenchmarkClient client;
    private final OverloadResponses responses = new OverloadResponses();
    private final ClosedLoop sequential = new ClosedLoop(1);
    private final ClosedLoop concurrent = new ClosedLoop(CONCURRENCY);
    private final Map<Long, String> sampledIds = new ConcurrentHashMap<>();

    private OverloadBenchmark(ServiceUnderTest service, BenchmarkClient client) {
        this.service = service;
        this.client = client;
    }

    /**
     * Overloads the service for some time.
     *
     * @param service started with {@link #SETTINGS}, and new: all its executions belong to this row
     * @param time duration of the overload
     * @param warmUp duration of the warm-up
     */
    public static BenchmarkResult measure(
            ServiceUnderTest service, BenchmarkClient client, Duration time, Duration warmUp) throws Exception {
        OverloadBenchmark row = new OverloadBenchmark(service, client);
        row.warmUp(warmUp);
        double usual =
                row.sequential.runFor(UNLOADED_TIME, row::trivial).latencies().p50();
        double capacity = row.concurrent.runFor(CAPACITY_TIME, row::holding).perSecond();
        return BenchmarkResult.of(row.measureOverload(time, usual, capacity));
    }

    /**
     * Warms up the service at full load, mostly with scripts that end at once. Scripts that hold their slots end so
     * seldom that the Java VM would not compile the code of the service.
     */
    private void warmUp(Duration time) throws Exception {
        concurrent.runFor(time, this::trivial);
        concurrent.runFor(time.dividedBy(2), this::holding);
    }

    private long trivial(long number) throws Exception {
        return client.run(BenchmarkScript.trivial(number))
                .expectResult(number + 1)
                .nanos();
    }

    private long holding(long number) throws Exception {
        return client.run(BenchmarkScript.holdingSlot(number, HOLD_MILLIS))
                .expectResult(number)
                .nanos();
    }

    private ReportRow measureOverload(Duration time, double usual, double capacity) throws Exception {
        OpenLoop loop = new OpenLoop(OVERLOAD_FACTOR * MARGIN * capacity, MAX_IN_FLIGHT);
        CpuMeter cpu = CpuMeter.of(service);
        // Not earlier, because the caches of an idle service are empty.
        CompletableFuture<ServerMemory> early = CompletableFuture.supplyAsync(
                () -> ServerMemory.of(service),
                CompletableFuture.delayedExecutor(time.toMillis() / 3, TimeUnit.MILLISECONDS));
        LoopResult load = cpu.measure(() -> loop.runFor(time, new OverloadSubmission()));
        List<MeasuredValue> figures = new ArrayList<>(figures(load, capacity));
        figures.add(new MeasuredValue(
                "recovery time",
                secondsUntilRecovered(usual),
                "s",
                PerformanceTarget.atMost(MAX_RECOVERY.toSeconds())));
        figures.addAll(ServerMemory.of(service).compareWith(early.get(), "after a third of the time"));
        checkOutcomes();
        return new ReportRow(
                "P13",
                String.format("overload of ten times the capacity for %,d s", time.toSeconds()),
                load.count(),
                cpu.millisPerOperation(load.count()),
                figures);
    }

    private List<MeasuredValue> figures(LoopResult load, double capacity) {
        return List.of(
                new MeasuredValue(
                                "offered",
                                load.perSecond(),
                                "/s",
                                PerformanceTarget.atLeast(OVERLOAD_FACTOR * capacity))
                        .comparedWith(new BaselineComparison("capacity", capacity, load.perSecond() / capacity)),
                new MeasuredValue(
                        "responses 202", responses.count(OverloadResponses.ACCEPTED), "", PerformanceTarget.none()),
                new MeasuredValue(
                        "responses 429",
                        responses.count(OverloadResponses.TOO_MANY_REQUESTS),
                        "",
                        PerformanceTarget.none()),
                new MeasuredValue(
                        "responses 503", responses.count(OverloadResponses.UNAVAILABLE), "", PerformanceTarget.none()),
                new MeasuredValue("response time, p99", load.latencies().p99(), "ms", PerformanceTarget.none()));
    }

    /** Submits without waiting, and accepts any permitted response. */
    private final class OverloadSubmission implements AsyncOperation<SubmissionResponse> {
        @Override
        public CompletableFuture<SubmissionResponse> start(long number) {
            return client.submitAsync(BenchmarkScript.holdingSlot(number, HOLD_MILLIS));
        }

        @Override
        public void checkResult(long number, SubmissionResponse answer) throws WrongResultException {
            responses.recordResponse(answer);
            if (answer.isAccepted() && number % CHECK_EVERY == 0) {
                sampledIds.put(number, answer.response().id());
            }
        }
    }

    /** Returns the seconds until recovery, or the maximum wait without recovery. */
    private double secondsUntilRecovered(double usual) throws Exception {
        long start = System.nanoTime();
        RecoveryDetector recovery = new RecoveryDetector(usual);
        for (long number = 0; !recovery.isRecovered() && System.nanoTime() - start < TIMEOUT.toNanos(); number++) {
            SubmissionResponse answer = client.trySubmitAndWait(BenchmarkScript.trivial(number));
            responses.recordResponse(answer);
            if (answer.response().hasEnded()) {
                answer.response().expectResult(number + 1);
                recovery.recordServed(answer.response().nanos());
            } else {
                recovery.recordRejected();
                Thread.sleep(RETRY_MILLIS);
            }
        }
        return (System.nanoTime() - start) / NANOS_PER_SECOND;
    }

    /**
     * Checks that no execution is lost or repeated and that each has its own result; the results of a sample only,
     * since each needs a request.
     */
    private void checkOutcomes() throws Exception {
        long limit = System.nanoTime() + TIMEOUT.toNanos();
        StateCounts census = StateCounts.fetch(client);
        while (census.count("COMPLETED") < Math.max(census.total(), client.submittedCount())
                && System.nanoTime() < limit) {
            Thread.sleep(LIST_POLL_MILLIS);
            census = StateCounts.fetch(client);
        }
        responses.checkAccepted(census, client.submittedCount());
        for (Map.Entry<Long, String> accepted : sampledIds.entrySet()) {
            client.execution(accepted.getValue()).expectResult(accepted.getKey());
        }
    }
}
