package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Termination of processes and their child processes. */
@DisabledOnOs(OS.WINDOWS)
class McpServerProcessTreeTest {
    @Test
    void childOfAnExitedWrapperIsKilled() throws Exception {
        Process wrapper = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; wait").start();
        long child;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(wrapper.getInputStream(), StandardCharsets.UTF_8))) {
            child = Long.parseLong(lines.readLine());
        }
        ProcessHandle handle = ProcessHandle.of(child).orElseThrow();
        McpServerProcessTree family = new McpServerProcessTree(wrapper);
        family.recordDescendants();
        wrapper.destroyForcibly().waitFor();
        assertThat(handle.isAlive()).isTrue();

        family.killAll();

        handle.onExit().get(60, TimeUnit.SECONDS);
        assertThat(handle.isAlive()).isFalse();
    }
}
