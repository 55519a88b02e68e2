package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.Problem;
import org.sallyport.cli.api.Trace;
import org.sallyport.cli.terminal.CodeFrame;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Look.Paint;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import org.sallyport.cli.terminal.Waterfall;

/** Tells how an execution ended, or why it did not begin, in lines for people. */
final class Report {
    private static final int LONGEST_LINE_OF_RESULT = 100;

    private final Terminal terminal;
    private final Look look;

    Report(Terminal terminal) {
        this.terminal = terminal;
        this.look = terminal.look();
    }

    /** The result, alone on standard output. */
    void result(Execution execution) {
        if (execution.state().equals("COMPLETED")) {
            execution.result().ifPresent(value -> {
                terminal.note(look.paint(Paint.FAINT, "result"));
                terminal.answer(shown(value));
            });
        }
    }

    /** State, times, and what went wrong if something did. */
    void end(Execution execution, Optional<String> source, String name) {
        Exit exit = Exit.ofState(execution.state());
        Paint paint = exit == Exit.COMPLETED ? Paint.GOOD : exit == Exit.FAILED ? Paint.BAD : Paint.CAUTION;
        terminal.note("");
        terminal.note(look.paint(paint, Visible.line(execution.state())) + "  " + Visible.line(execution.id())
                + times(execution));
        execution.error().ifPresent(error -> error(error, source, name));
        if (execution.truncated()) {
            terminal.note("  Output was cut at its limit.");
        }
    }

    /** The calls of a trace as a waterfall. */
    void trace(Execution execution, Trace trace, boolean everyCall) {
        new Waterfall(look, everyCall)
                .lines(trace.calls(), execution.startedAt(), execution.finishedAt())
                .forEach(terminal::note);
    }

    /** Why the service refused. */
    void problem(Problem problem, Optional<String> source, String name) {
        terminal.note(look.paint(Paint.BAD, "Refused") + ": " + Visible.line(problem.title())
                + " (" + (problem.kind().isEmpty() ? "" : Visible.line(problem.kind()) + ", ") + problem.status() + ")"
                + place(name, problem.line(), problem.column()));
        if (!problem.detail().isEmpty() && !problem.detail().equals(problem.title())) {
            indented(problem.detail());
        }
        for (String error : problem.errors()) {
            indented("- " + error);
        }
        if (!problem.codeFrame().isEmpty()) {
            indented(problem.codeFrame());
        } else {
            frame(source, problem.line(), problem.column());
        }
        problem.retryAfter().ifPresent(seconds -> indented("Try again in " + seconds + " s."));
    }

    private void error(Execution.Failure error, Optional<String> source, String name) {
        String code = error.code() + (error.culprit().isEmpty() ? "" : " (" + error.culprit() + ")");
        terminal.note("  " + Visible.line(code) + place(name, error.line(), error.column()));
        if (!error.message().isEmpty()) {
            indented(error.message());
        }
        if (!error.tool().isEmpty()) {
            indented("tool " + Visible.line(error.tool()));
        }
        frame(source, error.line(), error.column());
        stack(error).forEach(this::indented);
    }

    /** The stack without what the message already says. */
    private static List<String> stack(Execution.Failure error) {
        List<String> lines = new ArrayList<>();
        for (String line : error.stack().lines().toList()) {
            if (!line.isBlank() && !error.message().contains(line.strip())) {
                lines.add(line);
            }
        }
        return lines;
    }

    private void frame(Optional<String> source, OptionalLong line, OptionalLong column) {
        if (source.isPresent() && line.isPresent()) {
            CodeFrame.lines(source.get(), line.getAsLong(), column.orElse(0))
                    .forEach(text -> terminal.note("  " + text));
        }
    }

    private void indented(String text) {
        Visible.text(text).lines().forEach(line -> terminal.note("  " + line));
    }

    private static String place(String name, OptionalLong line, OptionalLong column) {
        if (line.isEmpty()) {
            return "";
        }
        String at = column.isPresent() ? ", column " + column.getAsLong() : "";
        return " in " + Visible.line(name) + ", line " + line.getAsLong() + at;
    }

    private static String times(Execution execution) {
        List<String> times = new ArrayList<>();
        execution.number("queueMillis").ifPresent(millis -> times.add("queued " + shown(millis)));
        execution.number("runMillis").ifPresent(millis -> times.add("ran " + shown(millis)));
        if (!execution.text("tier").isEmpty()) {
            times.add(Visible.line(execution.text("tier")) + " tier");
        }
        OptionalLong attempt = execution.number("attempt");
        if (attempt.orElse(1) > 1) {
            times.add("attempt " + attempt.getAsLong());
        }
        return times.isEmpty() ? "" : "  (" + String.join(", ", times) + ")";
    }

    private static String shown(long millis) {
        return Durations.shown(Duration.ofMillis(millis));
    }

    private static String shown(JsonNode value) {
        String compact = Json.compact(value);
        return compact.length() <= LONGEST_LINE_OF_RESULT ? compact : Json.pretty(value);
    }
}
