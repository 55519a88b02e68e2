package org.sallyport.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.sallyport.bench.measure.Latencies;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P6: calls that one script makes at once, of a tool that takes its time: from the first's start in the trace to the last's end. */
public final class ParallelCalls {
    private static final int CALLS = 10;
    private static final long MILLIS = 50;
    private static final double ALL_MILLIS = 60;

    private ParallelCalls() {}

    /** Measures so many scripts, one after the other. */
    public static Result measure(TestBed bed, int rounds) throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        Latencies latencies = new Latencies();
        for (int i = 0; i < rounds; i++) {
            Reply reply = cpu.during(
                    () -> bed.client().run(Script.parallel(CALLS, MILLIS)).expectResult(CALLS));
            latencies.record(together(bed.client().trace(reply.id()), CALLS));
        }
        return Result.of(new Row(
                "P6",
                String.format("%d calls at once of a tool that takes %d ms", CALLS, MILLIS),
                latencies.count(),
                cpu.each(latencies.count()),
                List.of(new Figure("all, p50", latencies.p50(), "ms", Target.atMost(ALL_MILLIS)))));
    }

    /** From the first start to the last end of so many calls, each of which must have ended well. */
    static Duration together(JsonNode events, int calls) throws WrongResultException {
        Instant first = Instant.MAX;
        Instant last = Instant.MIN;
        int well = 0;
        for (JsonNode event : events) {
            String type = event.path("type").asText();
            if (type.equals("tool_start")) {
                Instant at = Instant.parse(event.path("at").asText());
                first = at.isBefore(first) ? at : first;
            } else if (type.equals("tool_end") && event.path("success").asBoolean()) {
                Instant at = Instant.parse(event.path("at").asText());
                last = at.isAfter(last) ? at : last;
                well++;
            }
        }
        if (well != calls) {
            throw new WrongResultException(
                    "a trace with " + well + " calls that ended well instead of " + calls + ": " + events);
        }
        return Duration.between(first, last);
    }
}
