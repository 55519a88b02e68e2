package org.sallyport.connector.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.redaction.Redactor;
import reactor.core.publisher.Mono;

/**
 * MCP over the standard streams of a child process, one JSON text per line. Unlike the SDK's transport it detects the
 * end of the process, and does not block on a process that does not read. A line that is too long or no message affects
 * no other line, unless there are too many. Serves one connection.
 */
final class StdioTransport implements McpClientTransport {
    private static final int MAX_UNSENT_LINES = 128;
    private static final long DRAIN_MILLIS = 500;
    private static final int DESCENDANT_SCAN_SECONDS = 10;

    private final McpServerCommand command;
    private final Redactor redactor;
    private final int maxLineBytes;
    private final ThreadFactory threads;
    private final Consumer<String> onEnded;
    private final BlockingQueue<byte[]> unsentLines = new LinkedBlockingQueue<>(MAX_UNSENT_LINES);
    /** Why the transport ended; null while it is open. */
    private final AtomicReference<@Nullable String> endReason = new AtomicReference<>();

    private final StderrTail stderrTail = new StderrTail();
    private volatile @Nullable McpServerProcessTree processTree;
    private final InvalidLineLimiter invalidLineLimiter = new InvalidLineLimiter(System::nanoTime);

    /**
     * @param redaction redacts the secrets that the process was given
     * @param ended receives the reason once when the transport ends, unless it was closed
     */
    StdioTransport(
            McpServerCommand program,
            Redactor redaction,
            int longestLine,
            ThreadFactory threads,
            Consumer<String> ended) {
        this.command = program;
        this.redactor = redaction;
        this.maxLineBytes = longestLine;
        this.threads = threads;
        this.onEnded = ended;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return Mono.fromRunnable(() -> {
            Process started;
            try {
                started = command.start();
            } catch (IOException e) {
                end("cannot be started: " + e.getMessage());
                return;
            }
            McpServerProcessTree family = new McpServerProcessTree(started);
            processTree = family;
            if (endReason.get() != null) {
                family.killAll();
                return;
            }
            threads.newThread(() -> stderrTail.read(started.getErrorStream())).start();
            threads.newThread(() -> write(family, started.getOutputStream())).start();
            threads.newThread(() -> read(family, handler)).start();
            // Waits for the exit of the process, not for the end of its streams: another process may hold them open.
            started.onExit().thenRun(() -> endAfterExit(started));
        });
    }

    private void endAfterExit(Process exited) {
        threads.newThread(() -> {
                    try {
                        TimeUnit.MILLISECONDS.sleep(DRAIN_MILLIS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    end("exited with code " + exited.exitValue() + stderrTail.describe(redactor));
                })
                .start();
    }

    private void read(McpServerProcessTree family, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        Process from = family.root();
        try (BoundedLineReader lines = new BoundedLineReader(from.getInputStream(), maxLineBytes)) {
            boolean first = true;
            while (endReason.get() == null && handleNextLine(lines, handler)) {
                if (first) {
                    family.recordDescendants(); // the process that writes may be a child of the started process
                    first = false;
                }
            }
            String how = from.waitFor(DRAIN_MILLIS * 2, TimeUnit.MILLISECONDS)
                    ? "exited with code " + from.exitValue()
                    : "closed its output";
            stderrTail.awaitEnd(DRAIN_MILLIS);
            end(how + stderrTail.describe(redactor));
        } catch (BoundedLineReader.EndlessLineException e) {
            end("sent a line of more than " + BoundedLineReader.MAX_SKIPPED_BYTES + " bytes");
        } catch (IOException e) {
            end("cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end("its output is no longer read");
        }
    }

    /** Handles a line; false at the end of the output. */
    private boolean handleNextLine(
            BoundedLineReader lines, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) throws IOException {
        String line;
        try {
            line = lines.readLine();
        } catch (BoundedLineReader.LineTooLongException e) {
            e.responseId()
                    .ifPresentOrElse(
                            id -> McpMessageDispatcher.dispatch(tooLongResponse(id), handler), this::countInvalidLine);
            return true;
        }
        if (line == null) {
            return false;
        }
        List<JSONRPCMessage> messages;
        try {
            messages = McpMessageReader.read(line);
        } catch (IOException | RuntimeException e) {
            countInvalidLine();
            return true;
        }
        invalidLineLimiter.recordMessage();
        messages.forEach(message -> McpMessageDispatcher.dispatch(message, handler));
        return true;
    }

    private JSONRPCMessage tooLongResponse(String id) {
        return StrictMcpJsonMapper.tooLongResponse(id, "a line of more than " + maxLineBytes + " bytes (maxLineBytes)");
    }

    private void countInvalidLine() {
        if (!invalidLineLimiter.tryAcquire()) {
            end("writes too many lines that are not JSON-RPC");
        }
    }

    private void write(McpServerProcessTree family, OutputStream to) {
        try (to) {
            int idle = 0;
            while (endReason.get() == null) {
                byte[] line = unsentLines.poll(1, TimeUnit.SECONDS);
                if (line == null && ++idle % DESCENDANT_SCAN_SECONDS == 0) {
                    family.recordDescendants();
                } else if (line != null) {
                    to.write(line);
                    if (unsentLines.isEmpty()) {
                        to.flush();
                    }
                }
            }
        } catch (IOException e) {
            // The reading thread detects the reason.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            String end = endReason.get();
            if (end != null) {
                // A sender may see the end before the end listener is notified.
                throw notSent(end);
            }
            byte[] line;
            try {
                line = (McpJson.SDK_MAPPER.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new IllegalArgumentException("cannot be written as JSON", e);
            }
            if (!unsentLines.offer(line)) {
                throw notSent("the server does not read its input");
            }
        });
    }

    private static McpFailure.McpFailureException notSent(String reason) {
        return new McpFailure.McpFailureException(new McpFailure.RequestNotSent(reason));
    }

    /** Ends the transport and reports the reason; only the first reason counts. */
    void end(String why) {
        if (endReason.compareAndSet(null, why)) {
            kill();
            onEnded.accept(why);
        }
    }

    private void kill() {
        McpServerProcessTree running = processTree;
        if (running != null) {
            running.killAll();
        }
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(() -> {
            endReason.compareAndSet(null, "the connection was closed");
            kill();
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJson.SDK_MAPPER.convertValue(data, type);
    }
}
