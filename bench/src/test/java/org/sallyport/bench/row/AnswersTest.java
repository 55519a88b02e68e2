package org.sallyport.bench.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.service.Answer;
import org.sallyport.bench.service.Census;
import org.sallyport.bench.service.Reply;

class AnswersTest {
    private final Answers answers = new Answers();

    @Test
    void whatMayBeSaidIsCounted() throws Exception {
        answers.take(answer(202, false));
        answers.take(answer(429, true));
        answers.take(answer(429, true));
        answers.take(answer(503, true));

        assertThat(answers.of(Answers.ACCEPTED)).isEqualTo(1);
        assertThat(answers.of(Answers.TOO_MANY)).isEqualTo(2);
        assertThat(answers.of(Answers.UNAVAILABLE)).isEqualTo(1);
    }

    @Test
    void anyOtherStatusIsAWrongResult() {
        for (int status : new int[] {302, 400, 401, 404, 408, 500, 502}) {
            assertThatThrownBy(() -> answers.take(answer(status, true)))
                    .isInstanceOf(WrongResultException.class)
                    .hasMessageContaining(Integer.toString(status));
        }
    }

    @Test
    void aRefusalSaysWhenToComeAgain() {
        for (int status : new int[] {429, 503}) {
            assertThatThrownBy(() -> answers.take(answer(status, false)))
                    .isInstanceOf(WrongResultException.class)
                    .hasMessageContaining("Retry-After");
        }
    }

    @Test
    void allThatWasAcceptedHasCompletedAndNothingElseIsThere() {
        assertThatCode(() -> answers.check(completed(5), 5)).doesNotThrowAnyException();
        assertThatThrownBy(() -> answers.check(completed(4), 5)).isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> answers.check(completed(6), 5)).isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> answers.check(new Census(Map.of("COMPLETED", 5L, "FAILED", 1L)), 5))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("FAILED=1");
    }

    @Test
    void whatWasAnswered503MayBeThere() throws Exception {
        answers.take(answer(503, true));

        assertThatCode(() -> answers.check(completed(6), 5)).doesNotThrowAnyException();
        assertThatThrownBy(() -> answers.check(completed(7), 5)).isInstanceOf(WrongResultException.class);
    }

    private static Census completed(long count) {
        return new Census(Map.of("COMPLETED", count));
    }

    private static Answer answer(int status, boolean saysWhen) {
        Instant now = Instant.EPOCH;
        return new Answer(new Reply(status, JsonNodeFactory.instance.objectNode(), now, now, 0), saysWhen);
    }
}
