package org.sallyport.it.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A connection with the part of STOMP 1.2 that a connector needs. Not thread-safe. */
public final class StompConnection implements AutoCloseable {
    private final Socket socket;
    private final List<StompFrame> unmatchedFrames = new ArrayList<>();

    /** A received frame. */
    public record StompFrame(String text) {
        /** The value of a header, or an empty text if it is missing. */
        public String header(String name) {
            return text.substring(0, text.indexOf("\n\n"))
                    .lines()
                    .filter(line -> line.startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1).replace("\\c", ":"))
                    .findFirst()
                    .orElse("");
        }

        /** The text after the headers. */
        public String body() {
            return text.substring(text.indexOf("\n\n") + 2);
        }
    }

    private StompConnection(Socket socket) {
        this.socket = socket;
    }

    /** Connects and logs in as that user. {@code timeout} limits the wait for each frame. */
    public static StompConnection connect(int port, String user, String password, Duration timeout) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) timeout.toMillis());
        StompConnection one = new StompConnection(socket);
        one.send("CONNECT", "login:" + user + "\npasscode:" + password + "\naccept-version:1.2\nhost:x", "");
        one.awaitFrame(frame -> frame.text().startsWith("CONNECTED"));
        return one;
    }

    /** Sends a frame. */
    public void send(String command, String headers, String body) throws IOException {
        socket.getOutputStream()
                .write((command + "\n" + headers + "\n\n" + body + "\0").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the first frame that matches. Keeps other frames for later calls. */
    public StompFrame awaitFrame(Predicate<StompFrame> meant) throws IOException {
        for (StompFrame frame : unmatchedFrames) {
            if (meant.test(frame)) {
                unmatchedFrames.remove(frame);
                return frame;
            }
        }
        StompFrame next = readFrame();
        while (!meant.test(next)) {
            unmatchedFrames.add(next);
            next = readFrame();
        }
        return next;
    }

    private StompFrame readFrame() throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (int next = socket.getInputStream().read(); next > 0 || bytes.size() == 0; ) {
            if (next < 0) {
                throw new IOException("the connection was closed");
            }
            // STOMP allows empty lines between frames.
            if (next != '\n' || bytes.size() > 0) {
                bytes.write(next);
            }
            next = socket.getInputStream().read();
        }
        StompFrame frame = new StompFrame(bytes.toString(StandardCharsets.UTF_8));
        if (frame.text().startsWith("ERROR")) {
            throw new IOException(frame.text());
        }
        return frame;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
