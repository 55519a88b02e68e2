package org.sallyport.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Latencies;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/**
 * P5: tool calls from inside a running script, one after the other. One call's time is from its start in the trace to the
 * start of the next: bridge, broker, connector and back, the way to the worker, and the script's own step.
 */
public final class ToolCalls {
    private static final double READ_MILLIS = 1;
    private static final double WRITE_MILLIS = 2;
    private static final double RATIO = 2;

    private ToolCalls() {}

    /**
     * Measures calls that only read, and then calls that are journaled before they leave.
     *
     * @param rounds how many scripts of each
     * @param calls how many calls one script makes, at most what one page of a trace shows
     * @param floor how long the bare broker is measured in each round
     */
    public static Result measure(TestBed bed, int rounds, int calls, Duration floor) throws Exception {
        Measurement reading = measure(bed, rounds, calls, floor, Script::reading);
        Measurement writing = measure(bed, rounds, calls, floor, Script::writing);
        return new Result(
                List.of(
                        row("tool call, read-only", READ_MILLIS, reading, true),
                        row("tool call, journaled", WRITE_MILLIS, writing, false)),
                List.of(floor("JMS request/reply, c=1", reading), floor("JMS request/reply, c=1, again", writing)),
                List.of());
    }

    private record Measurement(Turns turns, CpuMeter cpu, CpuMeter floorCpu) {}

    private static Measurement measure(TestBed bed, int rounds, int calls, Duration floor, LongFunction<Script> script)
            throws Exception {
        CpuMeter cpu = CpuMeter.of(bed.service());
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        Turns turns = Turns.take(
                rounds,
                () -> {
                    Reply reply = cpu.during(
                            () -> bed.client().run(script.apply(calls)).expectResult(calls));
                    Latencies latencies = between(bed.client().trace(reply.id()), calls);
                    return new Measured(latencies, Duration.ofNanos(reply.nanos()));
                },
                () -> floorCpu.during(() -> new ClosedLoop(1).during(floor, bed.jms())));
        return new Measurement(turns, cpu, floorCpu);
    }

    /** Times between the starts of calls; every call must have come back well. */
    static Latencies between(JsonNode events, int calls) throws WrongResultException {
        Latencies latencies = new Latencies();
        Instant last = null;
        int well = 0;
        for (JsonNode event : events) {
            if ("tool_start".equals(event.path("type").asText())) {
                Instant at = Instant.parse(event.path("at").asText());
                if (last != null) {
                    latencies.record(Duration.between(last, at));
                }
                last = at;
            } else if (event.path("success").asBoolean()) {
                well++;
            }
        }
        if (well < calls || latencies.count() < calls - 1) {
            throw new WrongResultException(
                    "a trace with " + well + " calls that ended well instead of " + calls + ": " + events);
        }
        return latencies;
    }

    private static Row row(String what, double millis, Measurement measurement, boolean compared) {
        Latencies latencies = measurement.turns().load().latencies();
        double ratio = measurement.turns().ratio(round -> round.latencies().p50());
        Figure p50 = new Figure("p50", latencies.p50(), "ms", Target.atMost(millis))
                .beside(new Beside(
                        "JMS request/reply",
                        measurement.turns().floor().latencies().p50(),
                        ratio));
        Figure beside = new Figure("beside bare JMS", ratio, "×", Target.atMost(RATIO));
        return new Row(
                "P5",
                what,
                latencies.count(),
                measurement.cpu().each(latencies.count()),
                compared ? List.of(p50, beside) : List.of(p50));
    }

    private static Floor floor(String what, Measurement measurement) {
        Measured bare = measurement.turns().floor();
        return new Floor(
                what,
                bare.count(),
                bare.latencies().p50(),
                bare.perSecond(),
                measurement.floorCpu().each(bare.count()));
    }
}
