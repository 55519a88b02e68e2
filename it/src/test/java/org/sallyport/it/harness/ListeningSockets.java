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

/** The listening sockets of a process, read from {@code /proc} on Linux. */
public final class ListeningSockets {
    private static final String LISTEN_STATE = "0A";
    private static final int ADDRESS_COLUMN = 1;
    private static final int STATE_COLUMN = 3;
    private static final int INODE_COLUMN = 9;
    private static final int IPV4_HEX_DIGITS = 8;

    private ListeningSockets() {}

    /** TCP sockets as {@code address:port}. IPv4 addresses mapped into IPv6 are shown as IPv4. */
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
                    // The file descriptor was closed, so it is not a listening socket.
                }
            }
            return inodes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The kernel writes groups of four bytes in the byte order of the processor, which is little-endian on the test
     * machines.
     */
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
