package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The sockets that a process listens on, as Linux tells in {@code /proc}. */
public final class Sockets {
    private static final String LISTEN = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int V4 = 8;

    private Sockets() {}

    /** TCP sockets, as {@code address:port}; addresses of IPv4 inside IPv6 are shown as IPv4. */
    public static List<String> listening(long pid) {
        Set<String> own = inodes(pid);
        return Stream.of("tcp", "tcp6")
                .flatMap(table -> lines(Path.of("/proc/" + pid + "/net/" + table)))
                .map(line -> line.strip().split("\\s+"))
                .filter(row -> row.length > INODE && row[STATE].equals(LISTEN) && own.contains(row[INODE]))
                .map(row -> shown(row[ADDRESS]))
                .toList();
    }

    private static Stream<String> lines(Path table) {
        try {
            return Files.exists(table) ? Files.readAllLines(table).stream().skip(1) : Stream.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> inodes(long pid) {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:[")) {
                        inodes.add(target.substring(8, target.length() - 1));
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    // Then nobody listens on it.
                }
            }
            return inodes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Groups of four bytes, each in the order of the processor: little end first where these tests run. */
    private static String shown(String entry) {
        int colon = entry.indexOf(':');
        String hex = entry.substring(0, colon);
        int port = Integer.parseInt(entry.substring(colon + 1), 16);
        String last = hex.substring(hex.length() - V4);
        boolean mapped = hex.length() == V4 || hex.startsWith("0000000000000000FFFF0000");
        if (!mapped) {
            return "[" + hex + "]:" + port;
        }
        byte[] bytes = HexFormat.of().parseHex(last);
        return (bytes[3] & 0xff) + "." + (bytes[2] & 0xff) + "." + (bytes[1] & 0xff) + "." + (bytes[0] & 0xff) + ":"
                + port;
    }
}
