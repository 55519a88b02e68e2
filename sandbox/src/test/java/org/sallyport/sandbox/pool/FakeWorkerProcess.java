package org.sallyport.sandbox.pool;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fake worker: a thread that connects to the socket of the pool and sends arbitrary frames. Also stands for the
 * process of this worker.
 */
final class FakeWorkerProcess extends Process {
    /** The behavior of a fake worker after it has connected. */
    interface FakeWorkerBehavior {
        void run(FakeWorkerProcess peer, String token) throws Exception;
    }

    private static final Pattern EXECUTE = Pattern.compile("\"is\":\"execute\",\"session\":(\\d+)");

    private final SocketChannel channel = SocketChannel.open(java.net.StandardProtocolFamily.UNIX);
    private final CompletableFuture<Process> exit = new CompletableFuture<>();
    private final AtomicBoolean threadStarted = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean killed;
    private volatile boolean stopRequested;
    private volatile int exitValue = 137;

    FakeWorkerProcess(Path door, String token, FakeWorkerBehavior part) throws IOException {
        thread = DaemonThreads.newThread("hostile", () -> {
            try {
                channel.connect(UnixDomainSocketAddress.of(door));
                part.run(this, token);
                awaitEnd();
            } catch (Exception ended) {
                // The pool closed the connection, as expected.
            } finally {
                destroyForcibly();
            }
        });
    }

    /** A healthy worker: ends every session with the result 1. */
    static void healthy(FakeWorkerProcess peer, String token) throws IOException {
        peer.sendHello(token);
        while (true) {
            long session = peer.awaitSession();
            peer.sendJson("{\"is\":\"done\",\"session\":%d,\"end\":\"returned\",\"result\":\"1\"}".formatted(session));
        }
    }

    /** Ends like a process that has run out of memory. */
    void runOutOfMemory() {
        exitValue = 3;
        destroyForcibly();
    }

    boolean isKilled() {
        return killed;
    }

    void sendHello(String token) throws IOException {
        sendJson("{\"is\":\"hello\",\"version\":%d,\"token\":\"%s\"}"
                .formatted(org.sallyport.sandbox.protocol.Frame.VERSION, token));
    }

    void sendJson(String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length);
        sendBytes(frame.putInt(bytes.length).put(bytes).array());
    }

    void sendBytes(byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /** Waits for the next session and returns its number. Ignores all other frames. */
    long awaitSession() throws IOException {
        while (true) {
            String frame = read();
            Matcher execute = EXECUTE.matcher(frame);
            if (execute.find()) {
                return Long.parseLong(execute.group(1));
            }
        }
    }

    private String read() throws IOException {
        ByteBuffer length = ByteBuffer.allocate(4);
        fill(length);
        ByteBuffer frame = ByteBuffer.allocate(length.getInt(0));
        fill(frame);
        return new String(frame.array(), StandardCharsets.UTF_8);
    }

    private void awaitEnd() throws IOException {
        ByteBuffer dropped = ByteBuffer.allocate(8_192);
        while (channel.read(dropped) >= 0) {
            dropped.clear();
        }
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("sent away");
            }
        }
    }

    @Override
    public Process destroyForcibly() {
        killed = true;
        exit.complete(this);
        try {
            channel.close();
        } catch (IOException closed) {
            // The process is killed anyway.
        }
        return this;
    }

    @Override
    public void destroy() {
        stopRequested = true;
    }

    /** Returns whether the pool has asked the process to stop. The process ignores the request. */
    boolean isStopRequested() {
        return stopRequested;
    }

    /**
     * Starts the thread at the first call. The pool calls this method after it has registered the process, and a real
     * worker connects only after that, too.
     */
    @Override
    public CompletableFuture<Process> onExit() {
        if (threadStarted.compareAndSet(false, true)) {
            thread.start();
        }
        return exit;
    }

    @Override
    public boolean isAlive() {
        return !exit.isDone();
    }

    @Override
    public int waitFor() {
        exit.join();
        return 137;
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) {
        return exit.isDone();
    }

    @Override
    public int exitValue() {
        return exitValue;
    }

    @Override
    public OutputStream getOutputStream() {
        return new ByteArrayOutputStream();
    }

    @Override
    public InputStream getInputStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }
}
