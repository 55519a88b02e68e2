package org.sallyport.bench.row;

import java.util.List;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Stage;

/** What one class of measurements gives to the report. */
public record Result(List<Row> rows, List<Floor> floors, List<Stage> stages) {
    public Result {
        rows = List.copyOf(rows);
        floors = List.copyOf(floors);
        stages = List.copyOf(stages);
    }

    /** What was not measured. */
    public static final Result NOTHING = new Result(List.of(), List.of(), List.of());

    /** What several give, in their order. */
    public static Result all(Result... results) {
        List<Result> parts = List.of(results);
        return new Result(
                parts.stream().flatMap(part -> part.rows().stream()).toList(),
                parts.stream().flatMap(part -> part.floors().stream()).toList(),
                parts.stream().flatMap(part -> part.stages().stream()).toList());
    }

    static Result of(Row row) {
        return new Result(List.of(row), List.of(), List.of());
    }

    static Result of(Row row, Floor floor) {
        return new Result(List.of(row), List.of(floor), List.of());
    }
}
