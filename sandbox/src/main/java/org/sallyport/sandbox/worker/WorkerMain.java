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
 * Starts a worker: {@code <socket> <carriers> <library directory>}, with a one-time token as the first line of standard
 * input. With {@code train} in place of the socket it only loads what workers load, for the class archive, while standard input
 * stays open.
 */
public final class WorkerMain {
    /** In place of the socket: load classes and exit. */
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
            // The socket's end is the usual end of a worker.
        } finally {
            // Not exit: that could wait for a script that computes.
            Runtime.getRuntime().halt(0);
        }
    }

    /** Scripts are stopped by interrupts, also while they say much. */
    private static Executor newWriteExecutor() {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "sallyport-writer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Without the server nobody would take the archive; killed again and again, it would leave one of these each time. */
    private static void exitWithServer() {
        Thread watch = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException gone) {
                        // As good as the end.
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
            // Only now: whoever is at the door has to greet soon.
            channel.connect(UnixDomainSocketAddress.of(socket));
            connection.serve(token);
        }
    }
}
