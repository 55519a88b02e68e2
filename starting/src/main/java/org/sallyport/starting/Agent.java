package org.sallyport.starting;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the Java VM runs before the server: {@code -javaagent:starting.jar=answer,HOST,PORT}. Takes the port, or ends the process: a
 * server that cannot listen would go on without anybody noticing. With {@code check} in the place of {@code answer} it only looks
 * whether the port can be had: who speaks TLS cannot be answered before there are keys.
 */
public final class Agent {
    private static final int CANNOT_LISTEN = 5;
    private static @Nullable StartingAnswers answers;

    private Agent() {}

    /** Called by the Java VM. */
    public static void premain(@Nullable String argument) {
        String[] words = Objects.requireNonNullElse(argument, "").split(",", 3);
        try {
            begin(words);
        } catch (IOException | IllegalArgumentException e) {
            String reason = Objects.toString(e.getMessage(), "");
            // As a record of the server's log, which is where people look.
            System.err.println(Instant.now() + " SEVERE  " + Agent.class.getName() + ": the service cannot listen ("
                    + String.join(" ", words).strip() + "): " + reason);
            System.exit(CANNOT_LISTEN);
        }
    }

    private static synchronized void begin(String[] words) throws IOException {
        if (words.length < 3) {
            throw new IllegalArgumentException("expected =answer,HOST,PORT or =check,HOST,PORT");
        }
        InetSocketAddress address = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
        switch (words[0].toLowerCase(Locale.ROOT)) {
            case "answer" -> answers = StartingAnswers.at(address);
            case "check" -> check(address);
            default -> throw new IllegalArgumentException("expected =answer,HOST,PORT or =check,HOST,PORT");
        }
    }

    private static void check(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        }
    }

    /** The service has started, and the server is about to listen: the port is free from now on. Found by its name. */
    public static synchronized void makeRoom() {
        StartingAnswers there = answers;
        answers = null;
        if (there != null) {
            there.close();
        }
    }
}
