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
import org.sallyport.submission.Receipt;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;

class ReceiptProblemsTest {
    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(
                        new Receipt.BadSyntax("Unexpected token", 3, 7, "frame"),
                        ProblemType.SYNTAX_ERROR,
                        "{\"line\":3,\"column\":7,\"codeFrame\":\"frame\"}"),
                Arguments.of(
                        new Receipt.BadSyntax("Unexpected token", 3, 7, "frame", true),
                        ProblemType.SYNTAX_ERROR,
                        "{\"line\":3,\"column\":7,\"codeFrame\":\"frame\",\"member\":\"tests\"}"),
                Arguments.of(
                        new Receipt.TooLarge("code", 300, 200),
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "{\"member\":\"code\",\"limit\":200}"),
                Arguments.of(new Receipt.KeyReused(), ProblemType.IDEMPOTENCY_CONFLICT, "{}"),
                Arguments.of(new Receipt.InProgress(), ProblemType.IDEMPOTENCY_IN_PROGRESS, "{}"),
                Arguments.of(
                        new Receipt.NotEnded(ExecutionState.RUNNING),
                        ProblemType.NOT_TERMINAL,
                        "{\"state\":\"RUNNING\"}"),
                Arguments.of(new Receipt.NoOriginal(), ProblemType.NOT_FOUND, "{}"),
                Arguments.of(new Receipt.Unavailable("no worker"), ProblemType.UNAVAILABLE, "{}"));
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Receipt receipt, ProblemType type, String members) {
        Problem problem = ReceiptProblems.of(receipt);

        assertThat(problem.type()).isEqualTo(type);
        assertThat(problem.members()).hasToString(members);
        assertThat(ApiDescription.read().faults("Problem", ApiDescription.parse(problem.body(null))))
                .isEmpty();
    }

    @Test
    void whatIsAcceptedIsNoProblem() {
        Receipt accepted = new Receipt.Accepted(new ExecutionId(new UUID(1, 1)), false);

        assertThatThrownBy(() -> ReceiptProblems.of(accepted)).isInstanceOf(IllegalArgumentException.class);
    }
}
