package org.sallyport.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.service.StateCounts;
import org.sallyport.bench.service.SubmissionResponse;
import org.sallyport.bench.service.TimedResponse;

class OverloadResponsesTest {
    private final OverloadResponses answers = new OverloadResponses();

    @Test
    void expectedResponsesAreCounted() throws Exception {
        answers.recordResponse(answer(202, false));
        answers.recordResponse(answer(429, true));
        answers.recordResponse(answer(429, true));
        answers.recordResponse(answer(503, true));

        assertThat(answers.count(OverloadResponses.ACCEPTED)).isEqualTo(1);
        assertThat(answers.count(OverloadResponses.TOO_MANY_REQUESTS)).isEqualTo(2);
        assertThat(answers.count(OverloadResponses.UNAVAILABLE)).isEqualTo(1);
    }

    @Test
    void anyOtherStatusIsAWrongResult() {
        for (int status : new int[] {302, 400, 401, 404, 408, 500, 502}) {
            assertThatThrownBy(() -> answers.recordResponse(answer(status, true)))
                    .isInstanceOf(WrongResultException.class)
                    .hasMessageContaining(Integer.toString(status));
        }
    }

    @Test
    void refusalMustHaveRetryAfter() {
        for (int status : new int[] {429, 503}) {
            assertThatThrownBy(() -> answers.recordResponse(answer(status, false)))
                    .isInstanceOf(WrongResultException.class)
                    .hasMessageContaining("Retry-After");
        }
    }

    @Test
    void exactlyTheAcceptedExecutionsMustHaveCompleted() {
        assertThatCode(() -> answers.checkAccepted(completed(5), 5)).doesNotThrowAnyException();
        assertThatThrownBy(() -> answers.checkAccepted(completed(4), 5)).isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> answers.checkAccepted(completed(6), 5)).isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> answers.checkAccepted(new StateCounts(Map.of("COMPLETED", 5L, "FAILED", 1L)), 5))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("FAILED=1");
    }

    @Test
    void executionsAnsweredWith503MayExist() throws Exception {
        answers.recordResponse(answer(503, true));

        assertThatCode(() -> answers.checkAccepted(completed(6), 5)).doesNotThrowAnyException();
        assertThatThrownBy(() -> answers.checkAccepted(completed(7), 5)).isInstanceOf(WrongResultException.class);
    }

    private static StateCounts completed(long count) {
        return new StateCounts(Map.of("COMPLETED", count));
    }

    private static SubmissionResponse answer(int status, boolean saysWhen) {
        Instant now = Instant.EPOCH;
        return new SubmissionResponse(
                new TimedResponse(status, JsonNodeFactory.instance.objectNode(), now, now, 0), saysWhen);
    }
}
