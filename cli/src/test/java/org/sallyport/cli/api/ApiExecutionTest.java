package org.sallyport.cli.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.cli.api.ApiExecution.ApiOutputChunk;

class ApiExecutionTest {
    @Test
    void nextOffsetCountsCharactersAsTheServiceDoes() {
        assertThat(new ApiOutputChunk("a👍b", OptionalLong.of(13)).nextOffset(10))
                .isEqualTo(13);
        assertThat(new ApiOutputChunk("a👍b", OptionalLong.of(14)).nextOffset(10))
                .isEqualTo(14);
        assertThat(new ApiOutputChunk("", OptionalLong.of(10)).nextOffset(10)).isEqualTo(10);
        assertThat(new ApiOutputChunk("abc", OptionalLong.empty()).nextOffset(0))
                .isEqualTo(3);
    }

    @Test
    void truncatedOutputContinuesAfterTheReceivedPart() {
        assertThat(new ApiOutputChunk("abc", OptionalLong.of(100)).nextOffset(10))
                .isEqualTo(13);
    }

    @Test
    void missingMembersCauseNoErrors() {
        ApiExecution execution = new ApiExecution(ApiJson.object());

        assertThat(execution.state()).isEmpty();
        assertThat(execution.isFinished()).isFalse();
        assertThat(execution.error()).isEmpty();
        assertThat(execution.result()).isEmpty();
        assertThat(execution.createdAt()).isEmpty();
    }
}
