package org.sallyport.runner;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Reads artifacts for scripts, each as soon as there is memory for it. Thread-safe. */
final class ScriptArtifactReader {
    private static final Logger LOG = System.getLogger(ScriptArtifactReader.class.getName());
    /** How often an artifact is in memory while it becomes a reply: as bytes, as Base64, and as JSON. */
    private static final int COPIES = 5;

    private final ArtifactStore artifacts;
    private final MemoryBudget memory;
    private final Executor executor;

    /** @param executor reads an artifact that waited for memory */
    ScriptArtifactReader(ArtifactStore artifacts, MemoryBudget memory, Executor executor) {
        this.artifacts = artifacts;
        this.memory = memory;
        this.executor = executor;
    }

    /**
     * Reads an artifact; the result is {@code null} if there is none. Waits for the store, but not for memory. Throws
     * {@link StoreUnavailableException} when the store does not answer.
     */
    CompletionStage<ToolResult> read(String tenant, ExecutionId id, String name) {
        Optional<ArtifactReader> found = artifacts.open(id, name);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(ToolResult.success(Json.NULL));
        }
        long bytes = Math.min(memory.maxBytesPerOwner(), found.get().artifact().size() * COPIES);
        CompletableFuture<MemoryBudget.MemoryReservation> free = memory.reserve(tenant, bytes, executor);
        if (free.isDone()) {
            return CompletableFuture.completedFuture(readAndClose(free.join(), id, name));
        }
        return free.thenApply(reservation -> {
            try {
                return readAndClose(reservation, id, name);
            } catch (StoreUnavailableException e) {
                return ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE, "the database does not answer; try again later");
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "an artifact of execution " + id + " could not be read", e);
                return ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the artifact could not be read");
            }
        });
    }

    private ToolResult readAndClose(MemoryBudget.MemoryReservation reservation, ExecutionId id, String name) {
        try {
            return artifacts
                    .read(id, name)
                    .map(content -> result(name, content))
                    .orElse(ToolResult.success(Json.NULL));
        } finally {
            reservation.close();
        }
    }

    private static ToolResult result(String name, ArtifactContent content) {
        return ToolResult.success(new Json(JsonNodeFactory.instance
                .objectNode()
                .put("name", name)
                .put("kind", content.kind().name().toLowerCase(Locale.ROOT))
                .put("contentType", content.contentType())
                .put("data", Base64.getEncoder().encodeToString(content.bytes()))
                .toString()));
    }
}
