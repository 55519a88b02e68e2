package org.sallyport.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/** Many scripts in one batch. Measures how fast the service accepts them and how fast all of them end. */
public final class BatchSubmitBenchmark {
    private static final double NANOS_PER_SECOND = 1e9;

    private BatchSubmitBenchmark() {}

    /** An accepted batch and the results of its scripts. */
    private record BatchRun(TimedResponse batch, List<JsonNode> results) {}

    /** Submits a batch of {@code items} scripts, waits until all have ended, and checks each result. */
    public static BenchmarkResult measure(TestBed bed, int items) throws Exception {
        List<BenchmarkScript> scripts =
                LongStream.range(0, items).mapToObj(BenchmarkScript::trivial).toList();
        return measure(
                bed,
                "P3",
                "%,d executions in one batch",
                items,
                SubmissionTargets.WITHOUT_CALLS,
                () -> bed.client().submit(scripts));
    }

    /** Works like {@link #measure(TestBed, int)}, with one capability that runs for each row of a CSV file. */
    static BenchmarkResult measureRows(TestBed bed, String row, String capability, int rows) throws Exception {
        String csv = LongStream.range(0, rows).mapToObj(Long::toString).collect(Collectors.joining("\n", "n\n", "\n"));
        return measure(
                bed,
                row,
                "%,d rows in one batch",
                rows,
                SubmissionTargets.NONE,
                () -> bed.client().submitRows(capability, csv, rows));
    }

    private static BenchmarkResult measure(
            TestBed bed, String row, String text, int items, SubmissionTargets targets, Callable<TimedResponse> submit)
            throws Exception {
        BenchmarkClient client = bed.client();
        CpuMeter cpu = CpuMeter.of(bed.service());
        BatchRun ran = cpu.measure(() -> {
            TimedResponse batch = submit.call();
            return new BatchRun(batch, client.awaitBatchResults(batch.id()));
        });
        check(ran.results(), items);
        Instant last = Instant.MIN;
        for (TimedResponse end : client.listNewest(items)) {
            Instant at = end.timestamp("finishedAt");
            last = at.isAfter(last) ? at : last;
        }
        Duration took = Duration.between(ran.batch().sentAt(), last);
        return BenchmarkResult.of(new ReportRow(
                row,
                String.format(text, items),
                items,
                cpu.millisPerOperation(items),
                List.of(
                        new MeasuredValue(
                                "completed", items * NANOS_PER_SECOND / took.toNanos(), "/s", targets.completed()),
                        new MeasuredValue(
                                "accepted",
                                items * NANOS_PER_SECOND / ran.batch().nanos(),
                                "/s",
                                targets.accepted()))));
    }

    private static void check(List<JsonNode> results, int items) throws WrongResultException {
        if (results.size() != items) {
            throw new WrongResultException("a batch with " + results.size() + " results instead of " + items);
        }
        for (int i = 0; i < items; i++) {
            JsonNode result = results.get(i);
            if (result.path("index").asInt(-1) != i || result.path("result").asLong(-1) != i + 1) {
                throw new WrongResultException(
                        "item " + i + " did not complete with the result " + (i + 1) + ": " + result);
            }
        }
    }
}
