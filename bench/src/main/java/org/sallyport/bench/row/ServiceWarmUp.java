package org.sallyport.bench.row;

import java.time.Duration;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;

/** Lets the service and the bare things meet their work before anything counts. */
public final class ServiceWarmUp {
    private static final int CONCURRENCY = 8;
    private static final int CALLS = 20;
    private static final Duration MIN_BASELINE_TIME = Duration.ofMillis(1_500);

    private ServiceWarmUp() {}

    /**
     * Does everything that will be measured.
     *
     * @param time for the service; its tool calls get half of that again, the bare things an eighth each, and never less than it takes to compile them
     */
    public static void run(TestBed bed, Duration time) throws Exception {
        BenchmarkClient client = bed.client();
        new ClosedLoop(CONCURRENCY)
                .runFor(
                        time,
                        number -> client.run(BenchmarkScript.trivial(number))
                                .expectResult(number + 1)
                                .nanos());
        // One at a time: the scripts that write share a key.
        new ClosedLoop(1).runFor(time.dividedBy(2), number -> {
            client.run(BenchmarkScript.journaledCalls(CALLS)).expectResult(CALLS);
            return client.run(BenchmarkScript.readCalls(CALLS))
                    .expectResult(CALLS)
                    .nanos();
        });
        // A cold denominator would flatter the service.
        Duration bare = time.dividedBy(8).compareTo(MIN_BASELINE_TIME) > 0 ? time.dividedBy(8) : MIN_BASELINE_TIME;
        new ClosedLoop(CONCURRENCY).runFor(bare, bed.jdbc());
        new ClosedLoop(1).runFor(bare, bed.jms());
    }
}
