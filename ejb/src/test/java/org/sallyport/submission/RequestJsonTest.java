package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.Admission;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class RequestJsonTest {
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
    void whatIsWrittenIsReadAgain() {
        for (Submission submission :
                List.of(SUBMISSION, SUBMISSION.admitted(Admission.NONE.keyed(Optional.of("\u0000 'printer'"))))) {
            RunRequest request = new RunRequest.Script(submission);
            assertThat(RequestJson.read(RequestJson.write(request), Map.of())).isEqualTo(request);
        }
    }
}
