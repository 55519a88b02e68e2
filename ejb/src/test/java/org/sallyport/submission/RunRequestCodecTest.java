package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class RunRequestCodecTest {
    private static final Submission SUBMISSION = new Submission(
            "return 1",
            ScriptLanguage.TYPESCRIPT,
            new Json("[1]"),
            Json.NULL,
            RequestedLimits.NONE,
            Optional.of(List.of("demo.*")),
            Map.of("a", "b"),
            9,
            DebugMode.NONE,
            Durability.JOURNAL,
            Optional.of("why"),
            Optional.empty());

    @Test
    void runRequestRoundTrips() {
        for (Submission submission : List.of(
                SUBMISSION,
                SUBMISSION.withLanguage(ScriptLanguage.UNSPECIFIED),
                SUBMISSION.withAdmission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("\u0000 'printer'"))),
                SUBMISSION.withAdmission(AdmissionConstraints.NONE.withRetry(Optional.of(new RetryPolicy(
                        3, Duration.ofSeconds(2), Duration.ofHours(1), Set.of("timeout", "script-error"), true)))))) {
            RunRequest request = new RunRequest.InlineScriptRun(submission);
            assertThat(RunRequestCodec.read(RunRequestCodec.write(request), Map.of()))
                    .isEqualTo(request);
        }
    }
}
