package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/** Prints a test report, one line per test. */
final class TestReportPrinter {
    private final Terminal terminal;
    private final TerminalStyle style;

    TestReportPrinter(Terminal terminal) {
        this.terminal = terminal;
        this.style = terminal.style();
    }

    void print(JsonNode report) {
        terminal.printScriptOutput(ApiJson.text(report, "output"));
        terminal.printScriptErrorOutput(ApiJson.text(report, "errorOutput"));
        report.path("tests").forEach(test -> printTest(test));
        JsonNode error = report.path("error");
        if (error.isObject()) {
            terminal.printNote(style.paint(TextColor.BAD, TerminalTextEscaper.escapeLine(ApiJson.text(error, "code")))
                    + formatPosition(error));
            printIndented(ApiJson.text(error, "message"));
            printIndented(ApiJson.text(error, "stack"));
            if (error.has("test")) {
                terminal.printNote(
                        "  the test that ran last: " + TerminalTextEscaper.escapeLine(ApiJson.text(error, "test")));
            }
        }
        JsonNode summary = report.path("summary");
        boolean success = report.path("success").asBoolean();
        terminal.printNote("");
        terminal.printNote(style.paint(success ? TextColor.GOOD : TextColor.BAD, success ? "PASSED" : "FAILED") + "  "
                + summary.path("passed").asInt() + " passed, "
                + summary.path("failed").asInt() + " failed, "
                + summary.path("skipped").asInt() + " skipped  "
                + style.paint(TextColor.FAINT, TerminalTextEscaper.escapeLine(ApiJson.text(report, "execution"))));
    }

    private void printTest(JsonNode test) {
        String name = TerminalTextEscaper.escapeLine(ApiJson.text(test, "name"));
        if (test.path("skipped").asBoolean()) {
            terminal.printNote(style.paint(TextColor.FAINT, "  skip  " + name));
        } else if (test.path("passed").asBoolean()) {
            terminal.printNote(style.paint(TextColor.GOOD, "  ok    ") + name + formatDuration(test));
        } else {
            terminal.printNote(style.paint(TextColor.BAD, "  FAIL  ") + name + formatDuration(test));
            printIndented(ApiJson.text(test, "error"));
        }
    }

    private String formatDuration(JsonNode test) {
        long millis = test.path("durationMillis").asLong();
        return style.paint(TextColor.FAINT, "  " + DurationFormat.format(Duration.ofMillis(millis)));
    }

    private static String formatPosition(JsonNode error) {
        return error.path("line").isNumber()
                ? " in the " + (ApiJson.text(error, "member").equals("tests") ? "tests" : "script") + ", line "
                        + error.path("line").asInt()
                : "";
    }

    private void printIndented(String text) {
        TerminalTextEscaper.escapeText(text).lines().forEach(line -> terminal.printNote("        " + line));
    }
}
