package org.sallyport.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes a report as JSON, for programs. Does not round the numbers. */
public final class JsonReportWriter {
    private JsonReportWriter() {}

    /** Returns the report as one JSON document. */
    public static String toJson(BenchmarkReport report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("command", report.command());
        json.put("begunAt", report.startedAt().toString());
        json.put("tookMillis", report.elapsed().toMillis());
        json.put("executions", report.executions());
        json.put("machine", report.machine());
        ArrayNode rows = json.putArray("rows");
        report.rows().forEach(row -> rows.add(row(row)));
        ArrayNode floors = json.putArray("floors");
        report.baselines().forEach(floor -> floors.add(baseline(floor)));
        ArrayNode stages = json.putArray("stages");
        report.stages()
                .forEach(stage -> stages.addObject()
                        .put("name", stage.name())
                        .put("what", stage.description())
                        .put("p50Millis", stage.p50())
                        .put("p99Millis", stage.p99())
                        .put("meanMillis", stage.mean()));
        return json.toPrettyString() + "\n";
    }

    private static ObjectNode row(ReportRow row) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", row.id()).put("what", row.description()).put("operations", row.operations());
        row.cpuMillis().ifPresent(millis -> json.put("cpuMillis", millis));
        ArrayNode figures = json.putArray("figures");
        for (MeasuredValue figure : row.values()) {
            ObjectNode one = figures.addObject()
                    .put("name", figure.name())
                    .put("value", figure.value())
                    .put("unit", figure.unit())
                    .put("reached", figure.targetReached());
            if (figure.target().bound() != PerformanceTarget.TargetBound.NONE) {
                one.putObject("target")
                        .put("bound", figure.target().bound().name())
                        .put("value", figure.target().value());
            }
            figure.comparedWith()
                    .ifPresent(beside -> one.putObject("beside")
                            .put("name", beside.name())
                            .put("value", beside.value())
                            .put("ratio", beside.ratio()));
        }
        return json;
    }

    private static ObjectNode baseline(BaselineRow floor) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("what", floor.description())
                .put("operations", floor.operations())
                .put("p50Millis", floor.p50())
                .put("perSecond", floor.perSecond());
        floor.cpuMillis().ifPresent(millis -> json.put("cpuMillis", millis));
        return json;
    }
}
