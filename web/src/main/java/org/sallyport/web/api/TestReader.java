package org.sallyport.web.api;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.tool.Json;

/** Reads test requests. */
final class TestReader {
    private static final Set<String> KNOWN_MEMBERS =
            Set.of("code", "tests", "language", "args", "context", "limits", "grants", "labels", "intent");
    /** Default wall time of a test run, short because a client waits for the answer. */
    private static final long DEFAULT_WALL_MILLIS = 30_000;

    private static final int TEST_PRIORITY = 4;

    private TestReader() {}

    /**
     * A test request.
     *
     * @param implementation the script under test, and how to run it; its code is empty if the tests need no script
     * @param tests the test code
     */
    record TestRequest(Submission implementation, String tests) {}

    static TestRequest read(JsonMembers body, Configuration configuration) {
        body.rejectUnknown(KNOWN_MEMBERS);
        String code = body.has("code") ? SubmissionReader.script(body, "code", "the script to test") : "";
        String tests = SubmissionReader.script(body, "tests", "the code that tests it");
        return new TestRequest(submission(body, code, limits(SubmissionReader.limits(body), configuration)), tests);
    }

    /**
     * Tests are restarted after a failure of the node instead of resumed, and call no tool unless the request grants
     * it.
     */
    private static Submission submission(JsonMembers body, String code, RequestedLimits limits) {
        return new Submission(
                code,
                SubmissionReader.language(body).orElse(ScriptLanguage.UNSPECIFIED),
                body.json("args").orElse(Json.EMPTY_OBJECT),
                body.json("context").orElse(Json.EMPTY_OBJECT),
                limits,
                SubmissionReader.grants(body).or(() -> Optional.of(List.of())),
                SubmissionReader.labels(body),
                TEST_PRIORITY,
                DebugMode.NONE,
                Durability.NONE,
                SubmissionReader.intent(body),
                Optional.empty());
    }

    static RequestedLimits limits(RequestedLimits asked, Configuration configuration) {
        long maxMillis = configuration.get(LimitSettings.MAX_WALL_TIME).toMillis();
        return new RequestedLimits(
                asked.wallMillis().or(() -> Optional.of(Math.min(DEFAULT_WALL_MILLIS, maxMillis))),
                asked.cpuMillis(),
                asked.heapBytes(),
                asked.toolCalls(),
                asked.outputChars(),
                asked.cost(),
                asked.further());
    }
}
