package org.sallyport.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.bench.mcp.McpEchoServer;
import org.sallyport.bench.measure.ClosedLoop;

class BareMcpTest {
    @TempDir
    Path temporary;

    @Test
    void sdkCallsAServerProcessThatEndsOnClose() throws Exception {
        try (BareMcp sdk = BareMcp.connect(McpEchoServer.command(temporary), McpEchoServer.READ_ONLY_TOOL)) {
            assertThat(new ClosedLoop(1).runTimes(20, sdk).count()).isEqualTo(20);
            assertThat(servers()).isOne();
        }

        assertThat(servers()).isZero();
    }

    private long servers() {
        return ProcessHandle.current()
                .children()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(temporary.toString()))
                .count();
    }
}
