package org.sallyport.bench.report;

import java.util.OptionalDouble;

/** Writes a report as text, for people. */
public final class TextReportWriter {
    private TextReportWriter() {}

    /** Returns the report as lines of text. */
    public static String toText(BenchmarkReport report) {
        return "Sallyport bench " + report.command() + ", " + report.startedAt() + ", " + report.machine() + "\n\n"
                + rows(report)
                + (report.baselines().isEmpty() ? "" : "\nBaselines, measured in the same run\n\n" + baselines(report))
                + (report.stages().isEmpty()
                        ? ""
                        : "\nStages of one submit and wait (milliseconds, one execution at a time)\n\n"
                                + stages(report))
                + "\n" + report.executions() + (report.command().equals("parts") ? " operations" : " executions")
                + ", all with the expected outcome; total time "
                + ReportNumberFormat.format(report.elapsed().toMillis() / 1e3) + " s.\n";
    }

    private static String rows(BenchmarkReport report) {
        TextTable grid = new TextTable(
                "lllrrllrr",
                "row",
                "measurement",
                "figure",
                "target",
                "measured",
                "",
                "baseline",
                "ratio",
                "CPU ms/op");
        for (ReportRow row : report.rows()) {
            boolean first = true;
            for (MeasuredValue figure : row.values()) {
                grid.addLine(
                        first ? row.id() : "",
                        first ? row.description() : "",
                        figure.name(),
                        target(figure),
                        ReportNumberFormat.format(figure.value(), figure.unit()),
                        figure.targetReached() ? "" : "missed",
                        figure.comparedWith()
                                .map(beside ->
                                        beside.name() + " " + ReportNumberFormat.format(beside.value(), figure.unit()))
                                .orElse(""),
                        figure.comparedWith()
                                .map(beside -> ReportNumberFormat.format(beside.ratio(), "×"))
                                .orElse(""),
                        first ? cpu(row.cpuMillis()) : "");
                first = false;
            }
        }
        return grid.format();
    }

    private static String target(MeasuredValue figure) {
        return figure.target().bound() == PerformanceTarget.TargetBound.NONE
                ? ""
                : figure.target().bound().sign() + " "
                        + ReportNumberFormat.format(figure.target().value(), figure.unit());
    }

    private static String baselines(BenchmarkReport report) {
        TextTable grid = new TextTable("lrrrr", "baseline", "operations", "p50 ms", "per s", "CPU ms/op");
        for (BaselineRow floor : report.baselines()) {
            grid.addLine(
                    floor.description(),
                    ReportNumberFormat.format(floor.operations()),
                    ReportNumberFormat.format(floor.p50()),
                    ReportNumberFormat.format(floor.perSecond()),
                    cpu(floor.cpuMillis()));
        }
        return grid.format();
    }

    private static String stages(BenchmarkReport report) {
        TextTable grid = new TextTable("lrrrl", "stage", "p50", "p99", "mean", "steps");
        for (StageLatency stage : report.stages()) {
            grid.addLine(
                    stage.name(),
                    ReportNumberFormat.format(stage.p50()),
                    ReportNumberFormat.format(stage.p99()),
                    ReportNumberFormat.format(stage.mean()),
                    stage.description());
        }
        return grid.format();
    }

    private static String cpu(OptionalDouble millis) {
        return millis.isPresent() ? ReportNumberFormat.format(millis.getAsDouble()) : "";
    }
}
