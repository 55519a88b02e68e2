package org.sallyport.bench.row;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.floor.BareMcp;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/**
 * M1: calls of an MCP server's tools from inside a running script, one after the other, by turns with calls by the MCP SDK
 * alone of the same program. Both have a process of it to themselves. A call's time is as in {@link ToolCalls}.
 */
public final class McpCalls {
    private static final String BACKEND = "bench";
    private static final double MORE_MILLIS = 1;
    private static final int WARM_SCRIPTS = 10;

    private McpCalls() {}

    /**
     * A program that speaks MCP over its standard streams and gives back the arguments of calls.
     *
     * @param command how it is started
     * @param reading a tool that says that it only reads
     * @param writing a tool that does not
     */
    public record Program(List<String> command, String reading, String writing) {
        public Program {
            command = List.copyOf(command);
        }
    }

    /**
     * Measures calls that only read, and then calls that are journaled before they leave.
     *
     * @param rounds how many scripts of each
     * @param calls how many calls one script makes, at most what one page of a trace shows
     * @param floor how long the bare SDK is measured in each round
     * @param warmUp how long both work before anything counts
     */
    public static Result measure(TestBed bed, Program program, int rounds, int calls, Duration floor, Duration warmUp)
            throws Exception {
        Client client = bed.client();
        client.addServer(BACKEND, program.command());
        client.awaitReady(BACKEND);
        List<Row> rows = new ArrayList<>();
        List<Floor> floors = new ArrayList<>();
        for (String tool : List.of(program.reading(), program.writing())) {
            boolean reads = tool.equals(program.reading());
            Compared compared = compare(bed, program, tool, rounds, calls, floor, warmUp);
            rows.add(row(compared, reads ? "read-only" : "journaled", reads));
            floors.add(compared.floor("MCP SDK, c=1" + (reads ? "" : ", again")));
        }
        // The rows that follow are measured without it.
        client.removeBackend(BACKEND);
        return new Result(rows, floors, List.of());
    }

    private static Compared compare(
            TestBed bed, Program program, String tool, int rounds, int calls, Duration floor, Duration warmUp)
            throws Exception {
        Script script = Script.calling(BACKEND + "." + tool, calls);
        try (BareMcp sdk = BareMcp.connect(program.command(), tool)) {
            // Both servers are young Java VMs, and the SDK is new to this one.
            long begin = System.nanoTime();
            for (int i = 0; i < WARM_SCRIPTS || System.nanoTime() - begin < warmUp.toNanos(); i++) {
                run(bed.client(), script, calls);
            }
            new ClosedLoop(1).times((long) WARM_SCRIPTS * calls, sdk);
            return Compared.take(
                    rounds,
                    bed.service(),
                    () -> run(bed.client(), script, calls),
                    () -> new ClosedLoop(1).during(floor, sdk));
        }
    }

    private static Measured run(Client client, Script script, int calls) throws Exception {
        Reply reply = client.run(script).expectResult(calls);
        return new Measured(ToolCalls.between(client.trace(reply.id()), calls), Duration.ofNanos(reply.nanos()));
    }

    private static Row row(Compared compared, String how, boolean judged) {
        Turns turns = compared.turns();
        double p50 = turns.load().latencies().p50();
        Figure figure = new Figure("p50", p50, "ms", Target.none())
                .beside(new Beside(
                        "MCP SDK",
                        turns.floor().latencies().p50(),
                        turns.ratio(round -> round.latencies().p50())));
        double more = turns.difference(round -> round.latencies().p50());
        Target target = judged ? Target.atMost(MORE_MILLIS) : Target.none();
        return new Row(
                "M1",
                "tool call through mcp-stdio, " + how,
                turns.load().count(),
                compared.cpuMillis(),
                List.of(figure, new Figure("more than the SDK", more, "ms", target)));
    }
}
