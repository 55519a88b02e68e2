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
public final class ListeningSockets {
    private static final String LISTEN_STATE = "0A";
    private static final int ADDRESS_COLUMN = 1;
    private static final int STATE_COLUMN = 3;
    private static final int INODE_COLUMN = 9;
    private static final int IPV4_HEX_DIGITS = 8;

    private ListeningSockets() {}

    /** TCP sockets, as {@code address:port}; addresses of IPv4 inside IPv6 are shown as IPv4. */
    public static List<String> findByProcess(long pid) {
        Set<String> own = socketInodes(pid);
        return Stream.of("tcp", "tcp6")
                .flatMap(table -> readTable(Path.of("/proc/" + pid + "/net/" + table)))
                .map(line -> line.strip().split("\\s+"))
                .filter(row -> row.length > INODE_COLUMN
                        && row[STATE_COLUMN].equals(LISTEN_STATE)
                        && own.contains(row[INODE_COLUMN]))
                .map(row -> formatAddress(row[ADDRESS_COLUMN]))
                .toList();
    }

    private static Stream<String> readTable(Path table) {
        try {
            return Files.exists(table) ? Files.readAllLines(table).stream().skip(1) : Stream.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> socketInodes(long pid) {
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
    private static String formatAddress(String entry) {
        int colon = entry.indexOf(':');
        String hex = entry.substring(0, colon);
        int port = Integer.parseInt(entry.substring(colon + 1), 16);
        String last = hex.substring(hex.length() - IPV4_HEX_DIGITS);
        boolean mapped = hex.length() == IPV4_HEX_DIGITS || hex.startsWith("0000000000000000FFFF0000");
        if (!mapped) {
            return "[" + hex + "]:" + port;
        }
        byte[] bytes = HexFormat.of().parseHex(last);
        return (bytes[3] & 0xff) + "." + (bytes[2] & 0xff) + "." + (bytes[1] & 0xff) + "." + (bytes[0] & 0xff) + ":"
                + port;
    }
}
