package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Look.Paint;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;

/** Tells what came of tests, one line for each. */
final class TestReportLines {
    private final Terminal terminal;
    private final Look look;

    TestReportLines(Terminal terminal) {
        this.terminal = terminal;
        this.look = terminal.look();
    }

    void show(JsonNode report) {
        terminal.scriptOutput(Json.text(report, "output"));
        terminal.scriptErrorOutput(Json.text(report, "errorOutput"));
        report.path("tests").forEach(test -> line(test));
        JsonNode error = report.path("error");
        if (error.isObject()) {
            terminal.note(look.paint(Paint.BAD, Visible.line(Json.text(error, "code"))) + place(error));
            indented(Json.text(error, "message"));
            indented(Json.text(error, "stack"));
            if (error.has("test")) {
                terminal.note("  the test that ran last: " + Visible.line(Json.text(error, "test")));
            }
        }
        JsonNode summary = report.path("summary");
        boolean success = report.path("success").asBoolean();
        terminal.note("");
        terminal.note(look.paint(success ? Paint.GOOD : Paint.BAD, success ? "PASSED" : "FAILED") + "  "
                + summary.path("passed").asInt() + " passed, "
                + summary.path("failed").asInt() + " failed, "
                + summary.path("skipped").asInt() + " skipped  "
                + look.paint(Paint.FAINT, Visible.line(Json.text(report, "execution"))));
    }

    private void line(JsonNode test) {
        String name = Visible.line(Json.text(test, "name"));
        if (test.path("skipped").asBoolean()) {
            terminal.note(look.paint(Paint.FAINT, "  skip  " + name));
        } else if (test.path("passed").asBoolean()) {
            terminal.note(look.paint(Paint.GOOD, "  ok    ") + name + time(test));
        } else {
            terminal.note(look.paint(Paint.BAD, "  FAIL  ") + name + time(test));
            indented(Json.text(test, "error"));
        }
    }

    private String time(JsonNode test) {
        long millis = test.path("durationMillis").asLong();
        return look.paint(Paint.FAINT, "  " + Durations.shown(Duration.ofMillis(millis)));
    }

    private static String place(JsonNode error) {
        return error.path("line").isNumber()
                ? " in the " + (Json.text(error, "member").equals("tests") ? "tests" : "script") + ", line "
                        + error.path("line").asInt()
                : "";
    }

    private void indented(String text) {
        Visible.text(text).lines().forEach(line -> terminal.note("        " + line));
    }
}
