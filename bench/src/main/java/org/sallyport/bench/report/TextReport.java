package org.sallyport.bench.report;

import java.util.OptionalDouble;

/** A report for people. */
public final class TextReport {
    private TextReport() {}

    /** All of it, as lines. */
    public static String of(Report report) {
        return "Sallyport bench " + report.command() + ", " + report.begunAt() + ", " + report.machine() + "\n\n"
                + rows(report)
                + (report.floors().isEmpty() ? "" : "\nBare, in the same run\n\n" + floors(report))
                + (report.stages().isEmpty()
                        ? ""
                        : "\nOne submit and wait, stage by stage (milliseconds, one at a time)\n\n" + stages(report))
                + "\n" + report.executions() + (report.command().equals("parts") ? " operations" : " executions")
                + ", each with the outcome expected; "
                + Numbers.shown(report.took().toMillis() / 1e3) + " s in all.\n";
    }

    private static String rows(Report report) {
        Grid grid = new Grid(
                "lllrrllrr", "row", "what", "figure", "target", "measured", "", "beside it", "ratio", "CPU ms/op");
        for (Row row : report.rows()) {
            boolean first = true;
            for (Figure figure : row.figures()) {
                grid.line(
                        first ? row.id() : "",
                        first ? row.what() : "",
                        figure.name(),
                        target(figure),
                        Numbers.shown(figure.value(), figure.unit()),
                        figure.reached() ? "" : "missed",
                        figure.beside()
                                .map(beside -> beside.name() + " " + Numbers.shown(beside.value(), figure.unit()))
                                .orElse(""),
                        figure.beside()
                                .map(beside -> Numbers.shown(beside.ratio(), "×"))
                                .orElse(""),
                        first ? cpu(row.cpuMillis()) : "");
                first = false;
            }
        }
        return grid.text();
    }

    private static String target(Figure figure) {
        return figure.target().bound() == Target.Bound.NONE
                ? ""
                : figure.target().bound().sign() + " "
                        + Numbers.shown(figure.target().value(), figure.unit());
    }

    private static String floors(Report report) {
        Grid grid = new Grid("lrrrr", "what", "operations", "p50 ms", "per s", "CPU ms/op");
        for (Floor floor : report.floors()) {
            grid.line(
                    floor.what(),
                    Numbers.shown(floor.operations()),
                    Numbers.shown(floor.p50()),
                    Numbers.shown(floor.perSecond()),
                    cpu(floor.cpuMillis()));
        }
        return grid.text();
    }

    private static String stages(Report report) {
        Grid grid = new Grid("lrrrl", "stage", "p50", "p99", "mean", "what happens");
        for (Stage stage : report.stages()) {
            grid.line(
                    stage.name(),
                    Numbers.shown(stage.p50()),
                    Numbers.shown(stage.p99()),
                    Numbers.shown(stage.mean()),
                    stage.what());
        }
        return grid.text();
    }

    private static String cpu(OptionalDouble millis) {
        return millis.isPresent() ? Numbers.shown(millis.getAsDouble()) : "";
    }
}
