package org.sallyport.bench.row;

import java.time.Duration;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Script;

/** Lets the service and the bare things meet their work before anything counts. */
public final class WarmUp {
    private static final int CONCURRENCY = 8;
    private static final int CALLS = 20;

    private WarmUp() {}

    /**
     * Does everything that will be measured.
     *
     * @param time for the service; its tool calls get half of that again, the bare things an eighth each
     */
    public static void run(TestBed bed, Duration time) throws Exception {
        Client client = bed.client();
        new ClosedLoop(CONCURRENCY)
                .during(
                        time,
                        number -> client.run(Script.trivial(number))
                                .expectResult(number + 1)
                                .nanos());
        // One at a time: the scripts that write share a key.
        new ClosedLoop(1).during(time.dividedBy(2), number -> {
            client.run(Script.writing(CALLS)).expectResult(CALLS);
            return client.run(Script.reading(CALLS)).expectResult(CALLS).nanos();
        });
        new ClosedLoop(CONCURRENCY).during(time.dividedBy(8), bed.jdbc());
        new ClosedLoop(1).during(time.dividedBy(8), bed.jms());
    }
}
