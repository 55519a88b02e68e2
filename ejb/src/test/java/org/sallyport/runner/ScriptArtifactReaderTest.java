package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

class ScriptArtifactReaderTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 2));

    private final MemoryBudget memory = new MemoryBudget("reads", 1_000);
    private final FaultyArtifactStore store = new FaultyArtifactStore();
    private final ScriptArtifactReader reader = new ScriptArtifactReader(store, memory, Runnable::run);

    /** Fails reads when the test says so. */
    private static final class FaultyArtifactStore extends InMemoryArtifactStore {
        private boolean failsReads;

        @Override
        public synchronized Optional<ArtifactContent> read(ExecutionId id, String name) {
            if (failsReads) {
                throw new IllegalStateException("not to be read, as the test says");
            }
            return super.read(id, name);
        }
    }

    private void write(String name, String text) {
        store.write(
                new FencingToken(ID, 1),
                name,
                new ArtifactContent(Artifact.ArtifactKind.TEXT, "text/plain", text.getBytes(StandardCharsets.UTF_8)));
    }

    private CompletableFuture<ToolResult> read(String name) {
        return reader.read("t", ID, name).toCompletableFuture();
    }

    @Test
    void artifactIsReadWithItsKindAndType() {
        write("a", "abc");

        assertThat(read("a"))
                .isCompletedWithValue(ToolResult.success(new Json(
                        "{\"name\":\"a\",\"kind\":\"text\",\"contentType\":\"text/plain\",\"data\":\"YWJj\"}")));
        assertThat(read("b")).isCompletedWithValue(ToolResult.success(Json.NULL));
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void readWaitsForMemory() {
        write("a", "abc");
        MemoryBudget.MemoryReservation other =
                memory.tryReserve("t", memory.maxBytesPerOwner()).orElseThrow();
        CompletableFuture<ToolResult> waiting = read("a");
        assertThat(waiting).isNotDone();

        other.close();

        assertThat(waiting).isCompleted();
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void readThatFailsAfterItWaitedIsAnsweredAndFreesItsMemory() {
        write("a", "abc");
        MemoryBudget.MemoryReservation other =
                memory.tryReserve("t", memory.maxBytesPerOwner()).orElseThrow();
        CompletableFuture<ToolResult> waiting = read("a");
        store.failsReads = true;

        other.close();

        assertThat(waiting)
                .isCompletedWithValue(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the artifact could not be read"));
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void artifactLargerThanTheShareOfATenantIsReadAlone() {
        write("a", "x".repeat(2_000));

        assertThat(read("a")).isCompleted();
        assertThat(memory.usedBytes()).isZero();
    }
}
