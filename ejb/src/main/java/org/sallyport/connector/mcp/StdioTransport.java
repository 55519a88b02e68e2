package org.sallyport.connector.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.secret.Redaction;
import reactor.core.publisher.Mono;

/**
 * MCP over the standard streams of a process of its own: one JSON text a line. Unlike the SDK's transport it notices the
 * end of the process, and does not wait for a process that does not read. Good for one connection.
 */
final class StdioTransport implements McpClientTransport {
    private static final int MOST_UNSENT = 128;
    private static final int MOST_STRAYS = 200;
    private static final long DRAIN_MILLIS = 500;
    private static final int LOOK_SECONDS = 10;

    private final ServerProcess program;
    private final Redaction redaction;
    private final int longestLine;
    private final ThreadFactory threads;
    private final Consumer<String> ended;
    private final BlockingQueue<byte[]> unsent = new LinkedBlockingQueue<>(MOST_UNSENT);
    /** Why it is over; null as long as it is not. */
    private final AtomicReference<@Nullable String> over = new AtomicReference<>();

    private final LastWords lastWords = new LastWords();
    private volatile @Nullable ProcessFamily process;
    private int strays;

    /**
     * @param redaction hides what the process was confided
     * @param ended is told once why the connection is over, unless it was closed
     */
    StdioTransport(
            ServerProcess program,
            Redaction redaction,
            int longestLine,
            ThreadFactory threads,
            Consumer<String> ended) {
        this.program = program;
        this.redaction = redaction;
        this.longestLine = longestLine;
        this.threads = threads;
        this.ended = ended;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return Mono.fromRunnable(() -> {
            Process started;
            try {
                started = program.start();
            } catch (IOException e) {
                end("cannot be started: " + e.getMessage());
                return;
            }
            ProcessFamily family = new ProcessFamily(started);
            process = family;
            if (over.get() != null) {
                family.end();
                return;
            }
            threads.newThread(() -> lastWords.read(started.getErrorStream())).start();
            threads.newThread(() -> write(family, started.getOutputStream())).start();
            threads.newThread(() -> read(family, handler)).start();
            // Somebody else may hold its streams open.
            started.onExit().thenRun(() -> drained(started));
        });
    }

    private void drained(Process exited) {
        threads.newThread(() -> {
                    try {
                        TimeUnit.MILLISECONDS.sleep(DRAIN_MILLIS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    end("exited with code " + exited.exitValue() + lastWords.shown(redaction));
                })
                .start();
    }

    private void read(ProcessFamily family, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        Process from = family.head();
        try (BoundedLines lines = new BoundedLines(from.getInputStream(), longestLine)) {
            boolean first = true;
            for (String line = lines.next(); line != null && over.get() == null; line = lines.next()) {
                if (first) {
                    family.look(); // who speaks may be a child of what was started
                    first = false;
                }
                hear(line, handler);
            }
            String how = from.waitFor(DRAIN_MILLIS * 2, TimeUnit.MILLISECONDS)
                    ? "exited with code " + from.exitValue()
                    : "closed its output";
            lastWords.await(DRAIN_MILLIS);
            end(how + lastWords.shown(redaction));
        } catch (BoundedLines.TooLongException e) {
            end("sent a line of more than " + longestLine + " bytes");
        } catch (IOException e) {
            end("cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end("is not read any more");
        }
    }

    private void hear(String line, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        if (line.isBlank()) {
            return;
        }
        JSONRPCMessage message;
        try {
            message = McpSchema.deserializeJsonRpcMessage(McpJson.SDK, line);
        } catch (IOException | RuntimeException e) {
            if (++strays > MOST_STRAYS) {
                end("writes lines that are no JSON-RPC");
            }
            return;
        }
        try {
            handler.apply(Mono.just(message)).subscribe(done -> {}, failure -> {});
        } catch (RuntimeException e) {
            System.getLogger(StdioTransport.class.getName())
                    .log(System.Logger.Level.DEBUG, "a message was not understood", e);
        }
    }

    private void write(ProcessFamily family, OutputStream to) {
        try (to) {
            int idle = 0;
            while (over.get() == null) {
                byte[] line = unsent.poll(1, TimeUnit.SECONDS);
                if (line == null && ++idle % LOOK_SECONDS == 0) {
                    family.look();
                } else if (line != null) {
                    to.write(line);
                    if (unsent.isEmpty()) {
                        to.flush();
                    }
                }
            }
        } catch (IOException e) {
            // Whoever reads notices why.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            String end = over.get();
            if (end != null) {
                // Whoever sends may hear of the end before the one who is told of it.
                throw new IllegalStateException(end);
            }
            byte[] line;
            try {
                line = (McpJson.SDK.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new IllegalArgumentException("cannot be written as JSON", e);
            }
            if (!unsent.offer(line)) {
                throw new IllegalStateException("the server does not read what it is sent");
            }
        });
    }

    /** Ends it and says why. */
    void end(String why) {
        if (over.compareAndSet(null, why)) {
            kill();
            ended.accept(why);
        }
    }

    private void kill() {
        ProcessFamily running = process;
        if (running != null) {
            running.end();
        }
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(() -> {
            over.compareAndSet(null, "the connection was closed");
            kill();
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJson.SDK.convertValue(data, type);
    }
}
