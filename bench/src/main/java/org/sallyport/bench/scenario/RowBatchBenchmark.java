package org.sallyport.bench.scenario;

import java.util.UUID;
import org.sallyport.bench.service.BenchmarkScript;

/**
 * P14: one capability for each row of a CSV file, in one batch and by single submits. The capability makes one tool
 * call.
 */
public final class RowBatchBenchmark {
    private static final String ROW = "P14";

    private RowBatchBenchmark() {}

    /** Runs the capability for {@code rows} rows, then as often by single submits, and checks the results. */
    public static BenchmarkResult measure(TestBed bed, int rows) throws Exception {
        // Another name in each run, because the database may have that of an earlier run.
        String capability = "bench.add-" + UUID.randomUUID().toString().substring(0, 8);
        bed.client().publish(capability, BenchmarkScript.callAndAdd(0));
        return BenchmarkResult.combine(
                BatchSubmitBenchmark.measureRows(bed, ROW, capability, rows),
                SubmitBurstBenchmark.measure(
                        bed,
                        ROW,
                        rows,
                        SubmissionTargets.NONE,
                        number -> BenchmarkScript.ofCapability(capability, number)));
    }
}
