package org.sallyport.cli.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The sockets that accept TCP connections at loopback addresses, and their processes, as {@code /proc} of Linux lists
 * them. A process can read the sockets of processes of its own user only.
 */
final class LoopbackListeners {
    private static final Path PROC = Path.of("/proc");
    private static final String LISTENING = "0A";
    /** Addresses are hexadecimal, in groups of four bytes with the lowest first. */
    private static final String IPV4_LOOPBACK = "7F";

    private static final String IPV6_LOOPBACK = "00000000000000000000000001000000";
    private static final String MAPPED_IPV4 = "0000000000000000FFFF0000";
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private LoopbackListeners() {}

    /**
     * Returns whether every connection to a port of a loopback address is one to this process. False if that is
     * unknown, or if nothing listens.
     */
    static boolean belongTo(long process, int port) {
        try {
            List<String> listening = inodes("tcp", port);
            listening.addAll(inodes("tcp6", port));
            return !listening.isEmpty() && inodesOf(process).containsAll(listening);
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** The inodes of the sockets that listen on the port, for connections from this machine to this machine. */
    private static List<String> inodes(String protocol, int port) throws IOException {
        Path table = PROC.resolve("net").resolve(protocol);
        List<String> inodes = new ArrayList<>();
        if (!Files.exists(table)) {
            // A machine may have no IPv6.
            return inodes;
        }
        for (String line : Files.readAllLines(table, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.strip().split("\\s+");
            if (fields.length > INODE
                    && fields[STATE].equals(LISTENING)
                    && acceptsLoopback(fields[LOCAL_ADDRESS], port)) {
                inodes.add(fields[INODE]);
            }
        }
        return inodes;
    }

    /**
     * @param address address and port, such as {@code 0100007F:1F90} for 127.0.0.1:8080
     * @return whether a socket with this address accepts connections to the port of a loopback address
     */
    private static boolean acceptsLoopback(String address, int port) {
        int colon = address.indexOf(':');
        if (Integer.parseInt(address.substring(colon + 1), 16) != port) {
            return false;
        }
        String host = address.substring(0, colon).replaceFirst("^" + MAPPED_IPV4, "");
        return host.matches("0+") || host.equals(IPV6_LOOPBACK) || host.length() == 8 && host.endsWith(IPV4_LOOPBACK);
    }

    private static Set<String> inodesOf(long process) throws IOException {
        List<Path> descriptors;
        try (Stream<Path> files =
                Files.list(PROC.resolve(Long.toString(process)).resolve("fd"))) {
            descriptors = files.toList();
        }
        Set<String> inodes = new HashSet<>();
        for (Path descriptor : descriptors) {
            String target = target(descriptor);
            if (target.startsWith("socket:[")) {
                inodes.add(target.substring("socket:[".length(), target.length() - 1));
            }
        }
        return inodes;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // The process has closed it since.
            return "";
        }
    }
}
