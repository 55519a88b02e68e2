package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.capability.MissingTool;

class ScheduleDispatcherTest {
    static List<Arguments> refusals() {
        return List.of(
                Arguments.of(new SubmissionResult.ScriptCheckUnavailable("no worker"), true),
                Arguments.of(new SubmissionResult.InvalidScriptSyntax("not checked", 0, 0, ""), true),
                Arguments.of(
                        new SubmissionResult.ToolsMissing("a@1.0.0", List.of(new MissingTool("b.c", "b", "gone"))),
                        true),
                Arguments.of(new SubmissionResult.SandboxNotAllowed("a@1.0.0", "setting"), true),
                Arguments.of(new SubmissionResult.InvalidScriptSyntax("unexpected token", 1, 1, ""), false),
                Arguments.of(new SubmissionResult.CapabilityVersionNotFound("a", Optional.empty()), false),
                Arguments.of(new SubmissionResult.SubmissionForbidden("no"), false));
    }

    /** A refusal that may pass postpones the schedule; others pause it. */
    @ParameterizedTest
    @MethodSource("refusals")
    void refusalsThatMayPassPauseNoSchedule(SubmissionResult refusal, boolean passes) {
        assertThat(ScheduleDispatcher.mayPass(refusal)).isEqualTo(passes);
    }
}
