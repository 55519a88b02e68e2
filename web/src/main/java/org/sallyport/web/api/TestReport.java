package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemException;

/**
 * Maps an execution that ran tests to its report. The tests can influence the returned value, so only members of the
 * right form are shown.
 */
final class TestReport {
    private static final Pattern FIRST_FRAME_PATTERN =
            Pattern.compile("^\\s*at .*?(script|tests):\\d+:\\d+\\)?$", Pattern.MULTILINE);

    private TestReport() {}

    /** @param shown the representation of the execution */
    static ObjectNode of(Execution execution, ObjectNode shown) {
        ObjectNode report = ExecutionMapper.object();
        Optional<ObjectNode> returned = execution.state() == ExecutionState.COMPLETED
                ? execution.result().flatMap(TestReport::read)
                : Optional.empty();
        returned.ifPresentOrElse(
                report::setAll,
                () -> report.setAll(summarize(ExecutionMapper.object().arrayNode())));
        report.set("output", shown.path("output"));
        report.set("errorOutput", shown.path("errorOutput"));
        report.set("truncated", shown.path("truncated"));
        if (returned.isEmpty()) {
            report.set("error", error(execution));
        }
        return report.put("execution", execution.id().toString())
                .put("state", execution.state().name());
    }

    /** Reads the value that the test harness returned, member by member; empty if it is not a report. */
    static Optional<ObjectNode> read(Json result) {
        ObjectNode returned;
        try {
            returned = BoundedJson.parseStoredObject(result);
        } catch (ProblemException unreadable) {
            return Optional.empty();
        }
        ArrayNode tests = ExecutionMapper.object().arrayNode();
        for (JsonNode each : returned.path("tests")) {
            JsonNode error = each.path("error");
            if (!each.path("name").isTextual()
                    || !each.path("passed").isBoolean()
                    || !each.path("skipped").isBoolean()
                    || !(error.isNull() || error.isTextual())
                    || !each.path("durationMillis").canConvertToLong()) {
                return Optional.empty();
            }
            tests.addObject()
                    .put("name", each.path("name").textValue())
                    .put("passed", each.path("passed").booleanValue())
                    .put("skipped", each.path("skipped").booleanValue())
                    .put("error", error.textValue())
                    .put(
                            "durationMillis",
                            Math.max(0, each.path("durationMillis").longValue()));
        }
        ObjectNode report = summarize(tests);
        JsonNode error = returned.path("error");
        if (error.path("code").isTextual() && error.path("message").isTextual()) {
            report.putObject("error")
                    .put("code", error.path("code").textValue())
                    .put("culprit", "script")
                    .put("message", error.path("message").textValue());
        } else {
            report.putNull("error");
        }
        boolean all = tests.size() > 0 && report.at("/summary/failed").intValue() == 0;
        return Optional.of(report.put("success", all && report.path("error").isNull()));
    }

    private static ObjectNode summarize(ArrayNode tests) {
        int passed = 0;
        int skipped = 0;
        for (JsonNode each : tests) {
            if (each.path("skipped").booleanValue()) {
                skipped++;
            } else if (each.path("passed").booleanValue()) {
                passed++;
            }
        }
        ObjectNode report = ExecutionMapper.object().put("success", false);
        report.putObject("summary")
                .put("total", tests.size())
                .put("passed", passed)
                .put("failed", tests.size() - passed - skipped)
                .put("skipped", skipped);
        report.set("tests", tests);
        return report;
    }

    /** Why there is no report; JSON null while it may still come. */
    private static JsonNode error(Execution execution) {
        if (!execution.state().isTerminal()) {
            return ExecutionMapper.object().nullNode();
        }
        ObjectNode error = execution
                .error()
                .map(TestReport::executionError)
                .orElseGet(() -> execution.state() == ExecutionState.COMPLETED
                        ? ExecutionMapper.object()
                                .put("code", "report-unreadable")
                                .put("culprit", "script")
                                .put(
                                        "message",
                                        "the tests returned no valid report: they changed globals that build it")
                        : ExecutionMapper.object()
                                .put("code", execution.state().name().toLowerCase(Locale.ROOT))
                                .put("message", "the execution ended before all tests had run"));
        execution
                .progress()
                .filter(progress -> !progress.text().isEmpty())
                .ifPresent(progress -> error.put("test", progress.text()));
        return error;
    }

    private static ObjectNode executionError(ExecutionError error) {
        ObjectNode shown = ExecutionMapper.error(error);
        Matcher frame = FIRST_FRAME_PATTERN.matcher(error.stack());
        if (frame.find()) {
            shown.put("member", frame.group(1).equals("tests") ? "tests" : "code");
        }
        return shown;
    }
}
