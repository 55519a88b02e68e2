package org.sallyport.bench.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * Many scripts by single submits that do not wait. Measures how fast the service accepts them and how fast all of them
 * end.
 */
public final class SubmitBurstBenchmark {
    private static final int SUBMITTERS = 8;
    private static final int AWAITED_AT_END = 40;
    private static final int CHECK_EVERY = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    private SubmitBurstBenchmark() {}

    /** Submits {@code items} trivial scripts, waits until all have ended, and checks them. */
    public static BenchmarkResult measure(TestBed bed, int items) throws Exception {
        return measure(bed, "P3", items, SubmissionTargets.WITHOUT_CALLS, BenchmarkScript::trivial);
    }

    /**
     * @param row id of the row of the report
     * @param scripts returns the script of a number; the script returns this number and one
     */
    static BenchmarkResult measure(
            TestBed bed, String row, int items, SubmissionTargets targets, LongFunction<BenchmarkScript> scripts)
            throws Exception {
        BenchmarkClient client = bed.client();
        ClosedLoop lanes = new ClosedLoop(SUBMITTERS);
        Map<Long, TimedResponse> receipts = new ConcurrentHashMap<>();
        CpuMeter cpu = CpuMeter.of(bed.service());
        LoopResult accepted = cpu.measure(() -> {
            LoopResult submits = lanes.runTimes(items, number -> {
                TimedResponse receipt = client.submit(scripts.apply(number));
                receipts.put(number, receipt);
                return receipt.nanos();
            });
            // The last submitted executions end last, or nearly so. Waiting only for these costs the service little
            // while it works.
            for (long number = items - 1; number >= Math.max(0, items - AWAITED_AT_END); number--) {
                client.awaitEnd(receipt(receipts, number).id());
            }
            return submits;
        });
        List<TimedResponse> ends = new ArrayList<>();
        for (TimedResponse seen : client.listNewest(items)) {
            ends.add(seen.hasEnded() ? seen : client.awaitEnd(seen.id()));
        }
        check(client, receipts, ends);
        Duration took = Duration.between(first(receipts), latest(ends));
        double rate = items * NANOS_PER_SECOND / took.toNanos();
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        LoopResult floor = floorCpu.measure(() -> lanes.runTimes(items, bed.jdbc()));
        ReportRow measured = new ReportRow(
                row,
                String.format("%,d single submissions, %d at a time", items, SUBMITTERS),
                items,
                cpu.millisPerOperation(items),
                List.of(
                        new MeasuredValue("completed", rate, "/s", targets.completed())
                                .comparedWith(new BaselineComparison(
                                        "two commits", floor.perSecond(), floor.perSecond() / rate)),
                        new MeasuredValue("accepted", accepted.perSecond(), "/s", targets.accepted())));
        return BenchmarkResult.of(
                measured,
                new BaselineRow(
                        "two commits on H2, c=" + SUBMITTERS,
                        floor.count(),
                        floor.latencies().p50(),
                        floor.perSecond(),
                        floorCpu.millisPerOperation(items)));
    }

    private static TimedResponse receipt(Map<Long, TimedResponse> receipts, long number) throws WrongResultException {
        TimedResponse receipt = receipts.get(number);
        if (receipt == null) {
            throw new WrongResultException("submission " + number + " has no response");
        }
        return receipt;
    }

    private static Instant first(Map<Long, TimedResponse> receipts) {
        return receipts.values().stream()
                .map(TimedResponse::sentAt)
                .reduce(BinaryOperator.minBy(Instant::compareTo))
                .orElseThrow();
    }

    /**
     * Checks that each accepted execution has completed. Checks the results of a sample only, because each needs a
     * request.
     */
    private static void check(BenchmarkClient client, Map<Long, TimedResponse> receipts, List<TimedResponse> ends)
            throws Exception {
        Set<String> completed = ends.stream()
                .filter(end -> end.state().equals("COMPLETED"))
                .map(TimedResponse::id)
                .collect(Collectors.toSet());
        for (TimedResponse receipt : receipts.values()) {
            if (!completed.contains(receipt.id())) {
                throw new WrongResultException("an accepted execution did not complete: "
                        + client.execution(receipt.id()).body());
            }
        }
        for (long number = 0; number < receipts.size(); number += CHECK_EVERY) {
            client.execution(receipt(receipts, number).id()).expectResult(number + 1);
        }
    }

    private static Instant latest(List<TimedResponse> ends) throws WrongResultException {
        Instant latest = Instant.MIN;
        for (TimedResponse end : ends) {
            Instant at = end.timestamp("finishedAt");
            latest = at.isAfter(latest) ? at : latest;
        }
        return latest;
    }
}
