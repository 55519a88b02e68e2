package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblem;
import org.sallyport.cli.api.ApiTrace;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalCodeFrame;
import org.sallyport.cli.terminal.TerminalStyle;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import org.sallyport.cli.terminal.TraceWaterfall;

/** Prints how an execution ended, or why the service rejected it, as text for people. */
final class ExecutionReport {
    private static final int MAX_RESULT_LINE_LENGTH = 100;

    private final Terminal terminal;
    private final TerminalStyle style;

    ExecutionReport(Terminal terminal) {
        this.terminal = terminal;
        this.style = terminal.style();
    }

    /** Prints the result of a completed execution: the value to standard output, its heading to standard error. */
    void printResult(ApiExecution execution) {
        if (execution.state().equals("COMPLETED")) {
            execution.result().ifPresent(value -> {
                terminal.printNote(style.paint(TextColor.FAINT, "result"));
                terminal.printResult(format(value));
            });
        }
    }

    /**
     * Prints the state, the id, the time in the queue, the run time, and the error if there is one.
     *
     * @param source text of the script, for an excerpt at the position of the error
     * @param name name of the script in that position
     */
    void printEnd(ApiExecution execution, Optional<String> source, String name) {
        ExitCode exit = ExitCode.ofState(execution.state());
        TextColor paint = exit == ExitCode.COMPLETED
                ? TextColor.GOOD
                : exit == ExitCode.FAILED ? TextColor.BAD : TextColor.CAUTION;
        terminal.printNote("");
        terminal.printNote(style.paint(paint, TerminalTextEscaper.escapeLine(execution.state())) + "  "
                + TerminalTextEscaper.escapeLine(execution.id()) + formatTimes(execution));
        execution.error().ifPresent(error -> printError(error, source, name));
        String savedScript = execution.text("cachedName");
        if (!savedScript.isEmpty() && execution.text("cached").isEmpty()) {
            printIndented("Saved as " + savedScript + ". Run it again: sallyport scripts run " + savedScript);
        }
        printCancellation(execution);
        printRetry(execution);
        printBlockedAttempts(execution);
        if (execution.isTruncated()) {
            terminal.printNote("  A part of its output was left out, because it was longer than its limit.");
        }
    }

    /** Prints who cancelled the execution, and why. */
    private void printCancellation(ApiExecution execution) {
        JsonNode cancellation = execution.json().path("cancellation");
        if (cancellation.isObject()) {
            String caller = ApiJson.text(cancellation, "requestedBy");
            String reason = ApiJson.text(cancellation, "reason");
            printIndented("cancelled by " + (caller.isEmpty() ? "the service" : caller)
                    + (reason.isEmpty() ? "" : ": " + reason));
        }
    }

    /** Prints which attempt this is if the execution has a retry policy, and what follows its failure. */
    private void printRetry(ApiExecution execution) {
        JsonNode retry = execution.json().path("retry");
        if (retry.isObject()) {
            String next = ApiJson.text(retry, "next");
            String reason = ApiJson.text(retry, "notRetried");
            printIndented("attempt " + retry.path("attempt").asInt() + " of "
                    + retry.path("attempts").asInt()
                    + (next.isEmpty() ? "" : ", next attempt: " + next)
                    + (reason.isEmpty() ? "" : ", not retried: " + reason));
        }
    }

    /** Prints what the script tried to use although it may not. */
    private void printBlockedAttempts(ApiExecution execution) {
        JsonNode blocked = execution.json().path("blockedAttempts");
        if (!blocked.isObject()) {
            return;
        }
        List<String> names = new ArrayList<>();
        for (JsonNode each : blocked.path("attempts")) {
            String kind = ApiJson.text(each, "kind");
            String name = ApiJson.text(each, "name");
            long count = each.path("count").asLong(1);
            names.add((name.isEmpty() ? "other " + kind + "s" : kind + " " + name)
                    + (count == 1 ? "" : " (" + count + " times)"));
        }
        long total = blocked.path("total").asLong();
        terminal.printNote("  " + (total == 1 ? "1 blocked attempt: " : total + " blocked attempts: ")
                + TerminalTextEscaper.escapeLine(String.join(", ", names)));
    }

    /** Prints who submitted the execution, and the schedule that started it. */
    void printOrigin(ApiExecution execution) {
        if (!execution.text("submittedBy").isEmpty()) {
            String schedule = execution.text("schedule");
            terminal.printNote("  submitted by " + TerminalTextEscaper.escapeLine(execution.text("submittedBy"))
                    + (schedule.isEmpty() ? "" : ", for schedule " + TerminalTextEscaper.escapeLine(schedule)));
        }
    }

    /** Prints the calls of a trace as a waterfall. */
    void printTrace(ApiExecution execution, ApiTrace trace, boolean everyCall) {
        new TraceWaterfall(style, everyCall)
                .lines(trace.calls(), execution.startedAt(), execution.finishedAt())
                .forEach(terminal::printNote);
    }

    /** Prints why the service rejected a request. */
    void printProblem(ApiProblem problem, Optional<String> source, String name) {
        terminal.printNote(
                style.paint(TextColor.BAD, heading(problem)) + ": " + TerminalTextEscaper.escapeLine(problem.title())
                        + " (" + (problem.kind().isEmpty() ? "" : TerminalTextEscaper.escapeLine(problem.kind()) + ", ")
                        + problem.status() + ")"
                        + formatPosition(name, problem.line(), problem.column()));
        if (!problem.detail().isEmpty() && !problem.detail().equals(problem.title())) {
            printIndented(problem.detail());
        }
        for (String error : problem.errors()) {
            printIndented("- " + error);
        }
        if (!problem.codeFrame().isEmpty()) {
            printIndented(problem.codeFrame());
        } else {
            printCodeFrame(source, problem.line(), problem.column());
        }
        problem.retryAfter().ifPresent(seconds -> printIndented("Try again in " + seconds + " s."));
        String id = ApiJson.text(problem.json(), "id");
        if (!outcome(problem).isEmpty() && !id.isEmpty()) {
            boolean batch = ApiJson.text(problem.json(), "location").contains("/batches/");
            printIndented("See: sallyport " + (batch ? "batches show " : "show ") + id);
        }
    }

    private static String heading(ApiProblem problem) {
        return switch (outcome(problem)) {
            case "unknown" -> "Outcome unknown";
            case "stored" -> "Stored";
            default -> "Refused";
        };
    }

    /** Whether the request took effect although the service could not answer it; {@code ""} if it did not. */
    private static String outcome(ApiProblem problem) {
        return ApiJson.text(problem.json(), "outcome");
    }

    private void printError(ApiExecution.ApiExecutionError error, Optional<String> source, String name) {
        String code = error.code() + (error.origin().isEmpty() ? "" : " (" + error.origin() + ")");
        terminal.printNote(
                "  " + TerminalTextEscaper.escapeLine(code) + formatPosition(name, error.line(), error.column()));
        if (!error.message().isEmpty()) {
            printIndented(error.message());
        }
        if (!error.tool().isEmpty()) {
            printIndented("tool " + TerminalTextEscaper.escapeLine(error.tool()));
        }
        printCodeFrame(source, error.line(), error.column());
        stackLines(error).forEach(this::printIndented);
    }

    /** Returns the lines of the stack that the message does not contain. */
    private static List<String> stackLines(ApiExecution.ApiExecutionError error) {
        List<String> lines = new ArrayList<>();
        for (String line : error.stack().lines().toList()) {
            if (!line.isBlank() && !error.message().contains(line.strip())) {
                lines.add(line);
            }
        }
        return lines;
    }

    private void printCodeFrame(Optional<String> source, OptionalLong line, OptionalLong column) {
        if (source.isPresent() && line.isPresent()) {
            TerminalCodeFrame.lines(source.get(), line.getAsLong(), column.orElse(0))
                    .forEach(text -> terminal.printNote("  " + text));
        }
    }

    private void printIndented(String text) {
        TerminalTextEscaper.escapeText(text).lines().forEach(line -> terminal.printNote("  " + line));
    }

    private static String formatPosition(String name, OptionalLong line, OptionalLong column) {
        if (line.isEmpty()) {
            return "";
        }
        String at = column.isPresent() ? ", column " + column.getAsLong() : "";
        return " in " + TerminalTextEscaper.escapeLine(name) + ", line " + line.getAsLong() + at;
    }

    private static String formatTimes(ApiExecution execution) {
        List<String> times = new ArrayList<>();
        execution.number("queueMillis").ifPresent(millis -> times.add("queued " + format(millis)));
        execution.number("runMillis").ifPresent(millis -> times.add("ran " + format(millis)));
        if (!execution.text("tier").isEmpty()) {
            times.add(TerminalTextEscaper.escapeLine(execution.text("tier")) + " tier");
        }
        OptionalLong attempt = execution.number("attempt");
        if (attempt.orElse(1) > 1) {
            times.add("attempt " + attempt.getAsLong());
        }
        return times.isEmpty() ? "" : "  (" + String.join(", ", times) + ")";
    }

    private static String format(long millis) {
        return DurationFormat.format(Duration.ofMillis(millis));
    }

    private static String format(JsonNode value) {
        String compact = ApiJson.compact(value);
        return compact.length() <= MAX_RESULT_LINE_LENGTH ? compact : ApiJson.pretty(value);
    }
}
