package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The way to a server, which can be cut: after a request has passed and before its answer does, or at any time. */
public final class Wire implements AutoCloseable {
    private final ServerSocket door;
    private final int port;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final Set<Line> open = ConcurrentHashMap.newKeySet();
    private volatile String request = "";

    /** @param port of the server, on this machine */
    public Wire(int port) {
        this.port = port;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    /** The address to call in the place of the server's. */
    public String url() {
        return "http://127.0.0.1:" + door.getLocalPort();
    }

    /** Loses the answers of the next so many requests that begin so. */
    public void cut(int times, String beginning) {
        request = beginning;
        made.set(0);
        cuts.set(times);
    }

    /** How many it has lost since. */
    public int lost() {
        return made.get();
    }

    /** Cuts all lines that are open, in the middle of whatever passes; later ones are whole. How many there were. */
    public int sever() {
        List<Line> lines = List.copyOf(open);
        lines.forEach(Line::end);
        return lines.size();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                new Line(client, server).open();
            } catch (IOException e) {
                // Closed, or the server is not there: then neither is the line.
            }
        }
    }

    private final class Line {
        private final Socket client;
        private final Socket server;
        private volatile boolean cutting;

        Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void open() {
            open.add(this);
            threads.execute(() -> pass(client, server, true));
            threads.execute(() -> pass(server, client, false));
        }

        void end() {
            open.remove(this);
            try (client;
                    server) {
                // Closed with that.
            } catch (IOException e) {
                // The other side has ended.
            }
        }

        private void pass(Socket from, Socket to, boolean up) {
            try (client;
                    server) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[1 << 16];
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    String text = new String(bytes, 0, read, StandardCharsets.ISO_8859_1);
                    if (up && cuts.get() > 0 && text.startsWith(request) && cuts.getAndDecrement() > 0) {
                        cutting = true;
                    }
                    if (!up && cutting) {
                        made.incrementAndGet();
                        return; // the answer is there, and nobody gets it
                    }
                    out.write(bytes, 0, read);
                    out.flush();
                }
            } catch (IOException e) {
                // The other side has ended.
            } finally {
                open.remove(this);
            }
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            threads.shutdownNow();
        }
    }
}
