package org.sallyport.bench.row;

import java.time.Duration;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Script;

/** Lets the service and the bare things meet their work before anything counts. */
public final class WarmUp {
    private static final int CONCURRENCY = 8;
    private static final int CALLS = 20;
    private static final Duration BARE = Duration.ofMillis(1_500);

    private WarmUp() {}

    /**
     * Does everything that will be measured.
     *
     * @param time for the service; its tool calls get half of that again, the bare things an eighth each, and never less than it takes to compile them
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
        // A cold denominator would flatter the service.
        Duration bare = time.dividedBy(8).compareTo(BARE) > 0 ? time.dividedBy(8) : BARE;
        new ClosedLoop(CONCURRENCY).during(bare, bed.jdbc());
        new ClosedLoop(1).during(bare, bed.jms());
    }
}
