package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.redaction.Redactor;

class StdioTransportTest {
    @Test
    void sendToAProgramThatCannotStartFailsWithTheReason() {
        List<String> reported = new ArrayList<>();
        McpServerCommand nothing = new McpServerCommand("/no/such/program", List.of(), Map.of(), Optional.empty());
        StdioTransport transport = new StdioTransport(nothing, Redactor.NONE, 1000, Thread::new, reported::add);

        transport.connect(message -> message).block();

        assertThat(reported).singleElement().asString().startsWith("cannot be started: ");
        assertThatThrownBy(() ->
                        transport.sendMessage(new JSONRPCNotification("hello")).block())
                .hasMessage(reported.get(0));
    }

    @Test
    void lastErrorOutputIsReportedDespiteASlowReader() throws Exception {
        CompletableFuture<String> reported = new CompletableFuture<>();
        McpServerCommand dying =
                new McpServerCommand("sh", List.of("-c", "echo last words >&2; exit 3"), Map.of(), Optional.empty());
        AtomicInteger threads = new AtomicInteger();
        StdioTransport transport = new StdioTransport(
                dying,
                Redactor.NONE,
                1000,
                work -> threads.getAndIncrement() == 0 ? new Thread(() -> late(work)) : new Thread(work),
                reported::complete);

        transport.connect(message -> message).block();

        assertThat(reported.get(1, TimeUnit.MINUTES)).isEqualTo("exited with code 3; last error output: last words");
    }

    /** Runs {@code work} with a delay. The first thread, which reads the error stream of the program, is delayed. */
    private static void late(Runnable work) {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        work.run();
    }
}
