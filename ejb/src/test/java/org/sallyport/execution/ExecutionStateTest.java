package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExecutionStateTest {

    @ParameterizedTest
    @EnumSource
    void terminalStateIsNeverLeft(ExecutionState state) {
        assertThat(state.isTerminal()).isEqualTo(state.successors().isEmpty());
        assertThat(state.canTransitionTo(state)).isFalse();
        if (!state.isTerminal()) {
            // In every state that is not terminal, an execution can be cancelled, fail and time out.
            assertThat(state.successors())
                    .contains(ExecutionState.CANCELLED, ExecutionState.FAILED, ExecutionState.TIMED_OUT);
        }
    }

    @Test
    void documentedStateTableMatchesTheCode() throws IOException {
        String table = java.util.Arrays.stream(ExecutionState.values())
                .map(state -> "| `" + state + "` | "
                        + state.successors().stream()
                                .map(next -> "`" + next + "`")
                                .collect(Collectors.joining(", ")) + " |")
                .collect(Collectors.joining("\n"));
        assertThat(Files.readString(Path.of("../docs/architecture.md"))).contains(table);
    }
}
