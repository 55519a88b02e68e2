package org.sallyport.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;

/** What every store of artifacts must do. */
public abstract class ArtifactStoreContract {
    protected abstract ArtifactStore artifacts();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private Fence running() {
        NewExecution execution = anExecution().build();
        store().accept(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private static ArtifactContent text(String text) {
        return new ArtifactContent(
                Artifact.Kind.TEXT, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private String read(Fence fence, String name) {
        return new String(artifacts().read(fence.id(), name).orElseThrow().bytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "../../etc/passwd", "C:\\x", "CON", ".", "a\u0000b", "\uD800", "ä 😀", "';--"})
    void anyNameIsOnlyAName(String name) {
        Fence fence = running();
        assertThat(artifacts().write(fence, name, text("of " + name.length()))).isTrue();
        assertThat(read(fence, name)).isEqualTo("of " + name.length());
        assertThat(artifacts().list(fence.id())).singleElement().satisfies(each -> {
            assertThat(each.name()).isEqualTo(name);
            assertThat(each.createdAt()).isNotNull();
        });
    }

    @Test
    void theLastContentWrittenStands() {
        Fence fence = running();
        artifacts().write(fence, "x", text("a long first content"));
        artifacts()
                .write(
                        fence,
                        "x",
                        new ArtifactContent(
                                Artifact.Kind.JSON, "application/json", "{}".getBytes(StandardCharsets.UTF_8)));
        assertThat(read(fence, "x")).isEqualTo("{}");
        assertThat(artifacts().list(fence.id())).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Artifact.Kind.JSON);
            assertThat(each.contentType()).isEqualTo("application/json");
            assertThat(each.size()).isEqualTo(2);
        });
    }

    @Test
    void tenMillionBytesComeBackAsTheyWere() {
        Fence fence = running();
        byte[] bytes = new byte[10_000_000];
        new Random(7).nextBytes(bytes);
        assertThat(artifacts()
                        .write(
                                fence,
                                "big",
                                new ArtifactContent(Artifact.Kind.BYTES, "application/octet-stream", bytes)))
                .isTrue();
        assertThat(Arrays.equals(
                        artifacts().read(fence.id(), "big").orElseThrow().bytes(), bytes))
                .isTrue();
        assertThat(artifacts().write(fence, "empty", text(""))).isTrue();
        assertThat(read(fence, "empty")).isEmpty();
    }

    @Test
    void executionsSeeOnlyTheirOwn() {
        Fence one = running();
        Fence other = running();
        artifacts().write(one, "x", text("one"));
        assertThat(artifacts().read(other.id(), "x")).isEmpty();
        assertThat(artifacts().list(other.id())).isEmpty();
        assertThat(artifacts().read(one.id(), "y")).isEmpty();
    }

    @Test
    void whoLostTheExecutionWritesNothing() {
        Fence fence = running();
        assertThat(artifacts().write(new Fence(fence.id(), fence.attempt() + 1), "x", text("no")))
                .isFalse();
        journal().finish(fence, new Outcome.Completed(Json.NULL), Entries.NONE);
        assertThat(artifacts().write(fence, "x", text("no"))).isFalse();
        assertThat(artifacts().list(fence.id())).isEmpty();
    }
}
