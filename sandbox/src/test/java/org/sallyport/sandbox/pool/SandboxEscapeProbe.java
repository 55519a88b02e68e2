package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Simulates a script that has escaped into the JVM of its worker. Reads commands as lines of standard input, tries each
 * forbidden action, and reports the results on standard error.
 */
final class SandboxEscapeProbe {
    private SandboxEscapeProbe() {}

    public static void main(String[] args) throws Exception {
        List<String> orders = new String(System.in.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII)
                .lines()
                .toList();
        for (String order : orders) {
            String what = order.replaceFirst(" .*", "");
            String with = order.contains(" ") ? order.substring(order.indexOf(' ') + 1) : "";
            System.err.println(what + "=" + answer(what, with));
        }
        System.err.println("end=");
        System.err.flush();
        Runtime.getRuntime().halt(0);
    }

    private static String answer(String what, String with) throws Exception {
        return switch (what) {
            case "environment" -> System.getenv().toString();
            case "descriptors" -> descriptors();
            case "interfaces" -> interfaces();
            case "connect" -> connect(Integer.parseInt(with));
            case "status" -> Files.readString(Path.of("/proc/self/status")).replaceAll("\\s+", " ");
            case "limits" -> Files.readString(Path.of("/proc/self/limits")).replaceAll("\\s+", " ");
            case "processes" -> Long.toString(ProcessHandle.allProcesses().count());
            case "process" ->
                ProcessHandle.of(Long.parseLong(with)).isPresent() + " " + readable(Path.of("/proc", with, "environ"));
            case "readable" -> readable(Path.of(with));
            case "listing" -> listing(Path.of(with));
            case "writable" -> writable(Path.of(with));
            case "directory" ->
                listing(Path.of("")) + " " + writable(Path.of("").toAbsolutePath());
            case "threads" -> threads(Integer.parseInt(with));
            case "memory" -> memory(Integer.parseInt(with));
            case "wait" -> {
                System.err.println("waiting=");
                Thread.sleep(60_000);
                yield "";
            }
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static String descriptors() throws IOException {
        StringBuilder found = new StringBuilder();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : all.toList()) {
                try {
                    found.append(Files.readSymbolicLink(each)).append(' ');
                } catch (IOException listingItself) {
                    // The file descriptor of the directory listing itself is already closed.
                }
            }
        }
        return found.toString();
    }

    private static String interfaces() throws IOException {
        StringBuilder up = new StringBuilder();
        try {
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    up.append(each.getName()).append(' ');
                }
            }
        } catch (java.net.SocketException none) {
            return "";
        }
        return up.toString().strip();
    }

    private static String connect(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 2_000);
            return "connected";
        } catch (IOException refused) {
            return "refused";
        }
    }

    private static String readable(Path path) {
        try {
            return Files.isDirectory(path)
                    ? listing(path)
                    : Files.readString(path).substring(0, 0) + "read";
        } catch (IOException | RuntimeException denied) {
            return "denied";
        }
    }

    private static String listing(Path path) {
        try (Stream<Path> all = Files.list(path)) {
            return all.map(each -> each.getFileName().toString())
                    .sorted()
                    .toList()
                    .toString();
        } catch (IOException denied) {
            return "denied";
        }
    }

    private static String writable(Path directory) {
        try {
            Files.writeString(directory.resolve("written"), "x");
            return "written";
        } catch (IOException denied) {
            return "denied";
        }
    }

    private static String threads(int wanted) {
        int started = 0;
        try {
            for (; started < wanted; started++) {
                Thread thread = new Thread(() -> {
                    try {
                        Thread.sleep(30_000);
                    } catch (InterruptedException end) {
                        Thread.currentThread().interrupt();
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
        } catch (OutOfMemoryError limit) {
            return Integer.toString(started);
        }
        return Integer.toString(started);
    }

    /** Allocates memory outside of the heap, in blocks of one megabyte. */
    private static String memory(int wanted) {
        List<java.nio.ByteBuffer> held = new java.util.ArrayList<>();
        try {
            while (held.size() < wanted) {
                held.add(java.nio.ByteBuffer.allocateDirect(1 << 20));
            }
        } catch (OutOfMemoryError limit) {
            return "stopped";
        }
        return Integer.toString(held.size());
    }
}
