package org.sallyport.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P3: many trivial scripts as one batch: how fast it is accepted, and when all have ended. */
public final class OneBatch {
    private static final double PER_SECOND = 1_000;
    private static final double ACCEPTED_PER_SECOND = 5_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private OneBatch() {}

    /** A batch as it was accepted, and what became of its scripts. */
    private record Ran(Reply batch, List<JsonNode> results) {}

    /** Submits so many, and looks at each of them when all have ended. */
    public static Result measure(TestBed bed, int items) throws Exception {
        Client client = bed.client();
        List<Script> scripts =
                LongStream.range(0, items).mapToObj(Script::trivial).toList();
        CpuMeter cpu = CpuMeter.of(bed.service());
        Ran ran = cpu.during(() -> {
            Reply batch = client.submit(scripts);
            return new Ran(batch, client.results(batch.id()));
        });
        check(ran.results(), items);
        Instant last = Instant.MIN;
        for (Reply end : client.youngest(items)) {
            Instant at = end.at("finishedAt");
            last = at.isAfter(last) ? at : last;
        }
        Duration took = Duration.between(ran.batch().sentAt(), last);
        return Result.of(new Row(
                "P3",
                String.format("%,d in one batch", items),
                items,
                cpu.each(items),
                List.of(
                        new Figure(
                                "first byte to last end",
                                items * NANOS_PER_SECOND / took.toNanos(),
                                "/s",
                                Target.atLeast(PER_SECOND)),
                        new Figure(
                                "accepted",
                                items * NANOS_PER_SECOND / ran.batch().nanos(),
                                "/s",
                                Target.atLeast(ACCEPTED_PER_SECOND)))));
    }

    private static void check(List<JsonNode> results, int items) throws WrongResultException {
        if (results.size() != items) {
            throw new WrongResultException("a batch with " + results.size() + " results instead of " + items);
        }
        for (int i = 0; i < items; i++) {
            JsonNode result = results.get(i);
            if (result.path("index").asInt(-1) != i || result.path("result").asLong(-1) != i + 1) {
                throw new WrongResultException("item " + i + " has not completed with " + (i + 1) + ": " + result);
            }
        }
    }
}
