package org.sallyport.cli.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.cli.api.Execution.Chunk;

class ExecutionTest {
    @Test
    void theNextOffsetCountsAsTheServiceCounts() {
        assertThat(new Chunk("a👍b", OptionalLong.of(13)).next(10)).isEqualTo(13);
        assertThat(new Chunk("a👍b", OptionalLong.of(14)).next(10)).isEqualTo(14);
        assertThat(new Chunk("", OptionalLong.of(10)).next(10)).isEqualTo(10);
        assertThat(new Chunk("abc", OptionalLong.empty()).next(0)).isEqualTo(3);
    }

    @Test
    void anAnswerCutShortIsContinuedAfterWhatCame() {
        assertThat(new Chunk("abc", OptionalLong.of(100)).next(10)).isEqualTo(13);
    }

    @Test
    void missingMembersAreNoErrors() {
        Execution execution = new Execution(Json.object());

        assertThat(execution.state()).isEmpty();
        assertThat(execution.finished()).isFalse();
        assertThat(execution.error()).isEmpty();
        assertThat(execution.result()).isEmpty();
        assertThat(execution.createdAt()).isEmpty();
    }
}
