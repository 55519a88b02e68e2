package org.sallyport.sandbox.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.sallyport.sandbox.guest.GuestSettings;
import org.sallyport.sandbox.protocol.FrameChannel;

/**
 * Main class of a worker. Arguments: {@code <socket> <threads> <library directory>}; the first line of standard input
 * is a one-time token. With {@code train} instead of the socket it only loads the classes of workers, for the CDS
 * archive, while standard input stays open.
 */
public final class WorkerMain {
    /** First argument that replaces the socket: load classes and exit. */
    public static final String TRAIN = "train";

    private WorkerMain() {}

    public static void main(String[] args) throws Exception {
        GuestSettings settings = new GuestSettings(Integer.parseInt(args[1]), true, Path.of(args[2]));
        if (args[0].equals(TRAIN)) {
            exitWithServer();
            WorkerCdsTraining.runScripts(settings);
            return;
        }
        try {
            serve(Path.of(args[0]), settings);
        } catch (IOException serverGone) {
            // A worker usually ends because its socket closes.
        } finally {
            // Not exit, which could wait for a computing script.
            Runtime.getRuntime().halt(0);
        }
    }

    /**
     * A separate thread writes, because script threads are stopped by interrupts, even while they write much output.
     */
    private static Executor newWriteExecutor() {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "sallyport-writer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Exits when the server is gone: no server would use the archive, and repeatedly killed servers would leave one
     * training process each.
     */
    private static void exitWithServer() {
        Thread watch = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // Treated like the end of the stream.
                    }
                    Runtime.getRuntime().halt(1);
                },
                "server");
        watch.setDaemon(true);
        watch.start();
    }

    private static void serve(Path socket, GuestSettings settings) throws IOException {
        String token = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine();
        if (token == null) {
            return;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            WorkerConnection connection = new WorkerConnection(new FrameChannel(channel, newWriteExecutor()), settings);
            connection.warmUp();
            // Connect only now, because the server limits the time from connection to handshake.
            channel.connect(UnixDomainSocketAddress.of(socket));
            connection.serve(token);
        }
    }
}
