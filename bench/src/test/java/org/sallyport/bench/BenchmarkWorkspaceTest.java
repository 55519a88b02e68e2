package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchmarkWorkspaceTest {

    @Test
    void resourcesCloseInReverseOrderAndNoFileIsLeft() throws Exception {
        List<String> ended = new ArrayList<>();
        BenchmarkWorkspace workplace = new BenchmarkWorkspace();
        Path directory = workplace.createDirectory("data");
        Files.writeString(directory.resolve("file"), "text");
        workplace.register(() -> ended.add("first"));
        workplace.register(() -> ended.add("second"));
        workplace.close();
        workplace.close();

        assertThat(ended).containsExactly("second", "first");
        assertThat(directory.getParent()).doesNotExist();
    }

    @Test
    void resourceThatFailsToCloseDoesNotKeepTheOthersOpen() throws Exception {
        List<String> ended = new ArrayList<>();
        BenchmarkWorkspace workplace = new BenchmarkWorkspace();
        Path directory = workplace.createDirectory("data");
        workplace.register(() -> ended.add("first"));
        workplace.register(() -> {
            throw new IOException("stuck");
        });

        assertThatThrownBy(workplace::close).hasMessage("stuck");
        assertThat(ended).containsExactly("first");
        assertThat(directory.getParent()).doesNotExist();
    }

    @Test
    void resourceRegisteredAfterCloseIsClosedAtOnce() throws Exception {
        List<String> ended = new ArrayList<>();
        BenchmarkWorkspace workplace = new BenchmarkWorkspace();
        workplace.close();

        assertThatThrownBy(() -> workplace.register(() -> ended.add("late"))).isInstanceOf(IllegalStateException.class);
        assertThat(ended).containsExactly("late");
    }
}
