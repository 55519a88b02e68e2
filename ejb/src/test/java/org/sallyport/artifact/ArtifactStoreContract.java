package org.sallyport.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link ArtifactStore}, for every implementation. */
public abstract class ArtifactStoreContract {
    protected abstract ArtifactStore artifacts();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private FencingToken runningFence() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private static ArtifactContent text(String text) {
        return new ArtifactContent(
                Artifact.ArtifactKind.TEXT, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private String read(FencingToken fence, String name) {
        return new String(artifacts().read(fence.id(), name).orElseThrow().bytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "../../etc/passwd", "C:\\x", "CON", ".", "a\u0000b", "\uD800", "ä 😀", "';--"})
    void anyArtifactNameRoundTrips(String name) {
        FencingToken fence = runningFence();
        assertThat(artifacts().write(fence, name, text("of " + name.length()))).isTrue();
        assertThat(read(fence, name)).isEqualTo("of " + name.length());
        assertThat(artifacts().list(fence.id())).singleElement().satisfies(each -> {
            assertThat(each.name()).isEqualTo(name);
            assertThat(each.createdAt()).isNotNull();
        });
    }

    @Test
    void lastWriteReplacesTheContent() {
        FencingToken fence = runningFence();
        artifacts().write(fence, "x", text("a long first content"));
        artifacts()
                .write(
                        fence,
                        "x",
                        new ArtifactContent(
                                Artifact.ArtifactKind.JSON, "application/json", "{}".getBytes(StandardCharsets.UTF_8)));
        assertThat(read(fence, "x")).isEqualTo("{}");
        assertThat(artifacts().list(fence.id())).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Artifact.ArtifactKind.JSON);
            assertThat(each.contentType()).isEqualTo("application/json");
            assertThat(each.size()).isEqualTo(2);
        });
    }

    @Test
    void tenMillionBytesRoundTrip() {
        FencingToken fence = runningFence();
        byte[] bytes = new byte[10_000_000];
        new Random(7).nextBytes(bytes);
        assertThat(artifacts()
                        .write(
                                fence,
                                "big",
                                new ArtifactContent(Artifact.ArtifactKind.BYTES, "application/octet-stream", bytes)))
                .isTrue();
        assertThat(Arrays.equals(
                        artifacts().read(fence.id(), "big").orElseThrow().bytes(), bytes))
                .isTrue();
        assertThat(artifacts().write(fence, "empty", text(""))).isTrue();
        assertThat(read(fence, "empty")).isEmpty();
    }

    private static ArtifactContent bytes(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return new ArtifactContent(Artifact.ArtifactKind.BYTES, "application/octet-stream", bytes);
    }

    private static void assertFilledWith(byte[] content, int value) {
        assertThat(content).isEqualTo(bytes(content.length, value).bytes());
    }

    @Test
    void contentIsReadInChunks() {
        FencingToken fence = runningFence();
        artifacts().write(fence, "big", bytes(3_000_000, 1));

        ArtifactReader reader = artifacts().open(fence.id(), "big").orElseThrow();

        assertThat(reader.artifact().name()).isEqualTo("big");
        assertThat(reader.artifact().kind()).isEqualTo(Artifact.ArtifactKind.BYTES);
        assertThat(reader.artifact().contentType()).isEqualTo("application/octet-stream");
        assertThat(reader.artifact().size()).isEqualTo(3_000_000);
        assertThat(reader.artifact().createdAt()).isNotNull();
        long length = 0;
        for (Optional<byte[]> chunk = reader.nextChunk(); chunk.isPresent(); chunk = reader.nextChunk()) {
            assertThat(chunk.get().length).isBetween(1, 1_000_000);
            assertFilledWith(chunk.get(), 1);
            length += chunk.get().length;
        }
        assertThat(length).isEqualTo(3_000_000);
        artifacts().write(fence, "empty", text(""));
        assertThat(artifacts().open(fence.id(), "empty").orElseThrow().nextChunk())
                .isEmpty();
        assertThat(artifacts().open(fence.id(), "other")).isEmpty();
    }

    @Test
    void readerNeverMixesTheContentWithThatOfALaterWrite() {
        FencingToken fence = runningFence();
        artifacts().write(fence, "big", bytes(3_000_000, 1));
        ArtifactReader reader = artifacts().open(fence.id(), "big").orElseThrow();
        assertThat(reader.nextChunk()).isPresent();

        artifacts().write(fence, "big", bytes(3_000_000, 2));

        assertThat(reader.nextChunk()).isEmpty();
        assertThat(reader.nextChunk()).isEmpty();
        ArtifactReader later = artifacts().open(fence.id(), "big").orElseThrow();
        assertFilledWith(later.nextChunk().orElseThrow(), 2);
        assertFilledWith(artifacts().read(fence.id(), "big").orElseThrow().bytes(), 2);
    }

    @Test
    void executionSeesOnlyItsOwnArtifacts() {
        FencingToken one = runningFence();
        FencingToken other = runningFence();
        artifacts().write(one, "x", text("one"));
        assertThat(artifacts().read(other.id(), "x")).isEmpty();
        assertThat(artifacts().list(other.id())).isEmpty();
        assertThat(artifacts().read(one.id(), "y")).isEmpty();
    }

    @Test
    void staleFenceOrEndedExecutionCannotWrite() {
        FencingToken fence = runningFence();
        assertThat(artifacts().write(new FencingToken(fence.id(), fence.attempt() + 1), "x", text("no")))
                .isFalse();
        journal().finish(fence, new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        assertThat(artifacts().write(fence, "x", text("no"))).isFalse();
        assertThat(artifacts().list(fence.id())).isEmpty();
    }
}
