package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;

class SubmissionProblemsTest {
    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(
                        new SubmissionResult.InvalidScriptSyntax("Unexpected token", 3, 7, "frame"),
                        ProblemType.SYNTAX_ERROR,
                        "{\"line\":3,\"column\":7,\"codeFrame\":\"frame\"}"),
                Arguments.of(
                        new SubmissionResult.InvalidScriptSyntax("Unexpected token", 3, 7, "frame", true),
                        ProblemType.SYNTAX_ERROR,
                        "{\"line\":3,\"column\":7,\"codeFrame\":\"frame\",\"member\":\"tests\"}"),
                Arguments.of(
                        new SubmissionResult.SubmissionTooLarge("code", 300, 200),
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "{\"member\":\"code\",\"limit\":200}"),
                Arguments.of(new SubmissionResult.SubmissionKeyReused(), ProblemType.IDEMPOTENCY_CONFLICT, "{}"),
                Arguments.of(new SubmissionResult.SubmissionInProgress(), ProblemType.IDEMPOTENCY_IN_PROGRESS, "{}"),
                Arguments.of(
                        new SubmissionResult.OriginalNotFinished(ExecutionState.RUNNING),
                        ProblemType.NOT_TERMINAL,
                        "{\"state\":\"RUNNING\"}"),
                Arguments.of(new SubmissionResult.OriginalExecutionNotFound(), ProblemType.NOT_FOUND, "{}"),
                Arguments.of(new SubmissionResult.ScriptCheckUnavailable("no worker"), ProblemType.UNAVAILABLE, "{}"),
                Arguments.of(
                        new SubmissionResult.SubmissionOutcomeUnknown(new ExecutionId(new UUID(1, 1))),
                        ProblemType.UNAVAILABLE,
                        "{\"outcome\":\"unknown\",\"id\":\"00000000-0000-0001-0000-000000000001\","
                                + "\"location\":\"/api/v1/executions/00000000-0000-0001-0000-000000000001\"}"));
    }

    @ParameterizedTest
    @MethodSource
    void refusals(SubmissionResult receipt, ProblemType type, String members) {
        Problem problem = SubmissionProblems.toProblem(receipt);

        assertThat(problem.type()).isEqualTo(type);
        assertThat(problem.members()).hasToString(members);
        assertThat(ApiDescription.read().violations("Problem", ApiDescription.parse(problem.body(null))))
                .isEmpty();
    }

    @Test
    void acceptedSubmissionHasNoProblem() {
        SubmissionResult accepted = new SubmissionResult.SubmissionAccepted(new ExecutionId(new UUID(1, 1)), false);

        assertThatThrownBy(() -> SubmissionProblems.toProblem(accepted)).isInstanceOf(IllegalArgumentException.class);
    }
}
