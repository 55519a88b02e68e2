package org.sallyport.bench.scenario;

import java.time.Duration;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;

/** Warms up the service and the baselines before the measurement. */
public final class ServiceWarmUp {
    private static final int CONCURRENCY = 8;
    private static final int CALLS = 20;
    private static final Duration MIN_BASELINE_TIME = Duration.ofMillis(1_500);

    private ServiceWarmUp() {}

    /**
     * Runs trivial scripts and tool calls on the service, and then each baseline.
     *
     * @param time duration for the trivial scripts; the tool calls take half of it, and each baseline an eighth, but at
     *     least the time to compile the baselines
     */
    public static void run(TestBed bed, Duration time) throws Exception {
        BenchmarkClient client = bed.client();
        new ClosedLoop(CONCURRENCY)
                .runFor(
                        time,
                        number -> client.run(BenchmarkScript.trivial(number))
                                .expectResult(number + 1)
                                .nanos());
        // One at a time, because the scripts that write share a key.
        new ClosedLoop(1).runFor(time.dividedBy(2), number -> {
            client.run(BenchmarkScript.journaledCalls(CALLS)).expectResult(CALLS);
            return client.run(BenchmarkScript.readCalls(CALLS))
                    .expectResult(CALLS)
                    .nanos();
        });
        // A cold baseline would make the ratios of the service too good.
        Duration bare = time.dividedBy(8).compareTo(MIN_BASELINE_TIME) > 0 ? time.dividedBy(8) : MIN_BASELINE_TIME;
        new ClosedLoop(CONCURRENCY).runFor(bare, bed.jdbc());
        new ClosedLoop(1).runFor(bare, bed.jms());
    }
}
