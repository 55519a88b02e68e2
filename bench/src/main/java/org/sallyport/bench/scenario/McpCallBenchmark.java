package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.floor.BareMcp;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.TimedResponse;

/**
 * M1: sequential calls of the tools of an MCP server from a running script, alternating with calls of the same program
 * through the MCP SDK alone. The service and the SDK have a server process each. The latency of a call is defined as in
 * {@link ToolCallBenchmark}.
 */
public final class McpCallBenchmark {
    private static final String BACKEND = "bench";
    private static final double MAX_EXTRA_MILLIS = 1;
    private static final int WARM_UP_SCRIPTS = 10;

    private McpCallBenchmark() {}

    /**
     * A program that speaks MCP over its standard streams and returns the arguments of calls.
     *
     * @param command the program and its arguments
     * @param readOnlyTool a tool with the read-only hint
     * @param writingTool a tool without this hint
     */
    public record McpServerProgram(List<String> command, String readOnlyTool, String writingTool) {
        public McpServerProgram {
            command = List.copyOf(command);
        }
    }

    /**
     * Measures read-only calls, and then calls that are journaled before they are sent.
     *
     * @param rounds number of scripts of each kind
     * @param calls number of calls of one script, at most as many as one page of a trace shows
     * @param floor duration of the measurement of the SDK baseline in each round
     * @param warmUp duration of the warm-up of each kind
     */
    public static BenchmarkResult measure(
            TestBed bed, McpServerProgram program, int rounds, int calls, Duration floor, Duration warmUp)
            throws Exception {
        BenchmarkClient client = bed.client();
        client.addMcpServer(BACKEND, program.command());
        client.awaitReady(BACKEND);
        List<ReportRow> rows = new ArrayList<>();
        List<BaselineRow> floors = new ArrayList<>();
        for (String tool : List.of(program.readOnlyTool(), program.writingTool())) {
            boolean reads = tool.equals(program.readOnlyTool());
            AlternatingMeasurement compared = compare(bed, program, tool, rounds, calls, floor, warmUp);
            rows.add(row(compared, reads ? "read-only" : "journaled", reads));
            floors.add(compared.baselineRow("MCP SDK, c=1" + (reads ? "" : ", second measurement")));
        }
        // The following rows are measured without this backend.
        client.removeBackend(BACKEND);
        return new BenchmarkResult(rows, floors, List.of());
    }

    private static AlternatingMeasurement compare(
            TestBed bed, McpServerProgram program, String tool, int rounds, int calls, Duration floor, Duration warmUp)
            throws Exception {
        BenchmarkScript script = BenchmarkScript.callsOf(BACKEND + "." + tool, calls);
        try (BareMcp sdk = BareMcp.connect(program.command(), tool)) {
            // Both servers are new Java VMs, and this Java VM has not run the SDK yet.
            long startNanos = System.nanoTime();
            for (int i = 0; i < WARM_UP_SCRIPTS || System.nanoTime() - startNanos < warmUp.toNanos(); i++) {
                run(bed.client(), script, calls);
            }
            new ClosedLoop(1).runTimes((long) WARM_UP_SCRIPTS * calls, sdk);
            return AlternatingMeasurement.measure(
                    rounds,
                    bed.service(),
                    () -> run(bed.client(), script, calls),
                    () -> new ClosedLoop(1).runFor(floor, sdk));
        }
    }

    private static LoopResult run(BenchmarkClient client, BenchmarkScript script, int calls) throws Exception {
        TimedResponse reply = client.run(script).expectResult(calls);
        return new LoopResult(
                ToolCallBenchmark.callLatencies(client.firstTracePage(reply.id()), calls),
                Duration.ofNanos(reply.nanos()));
    }

    private static ReportRow row(AlternatingMeasurement compared, String how, boolean judged) {
        AlternatingRuns turns = compared.runs();
        double p50 = turns.loadTotal().latencies().p50();
        MeasuredValue figure = new MeasuredValue("p50", p50, "ms", PerformanceTarget.none())
                .comparedWith(new BaselineComparison(
                        "MCP SDK",
                        turns.baselineTotal().latencies().p50(),
                        turns.medianRatio(round -> round.latencies().p50())));
        double more = turns.medianDifference(round -> round.latencies().p50());
        PerformanceTarget target = judged ? PerformanceTarget.atMost(MAX_EXTRA_MILLIS) : PerformanceTarget.none();
        return new ReportRow(
                "M1",
                "tool call through mcp-stdio, " + how,
                turns.loadTotal().count(),
                compared.cpuMillis(),
                List.of(figure, new MeasuredValue("p50 above MCP SDK", more, "ms", target)));
    }
}
