package org.sallyport.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Who this node is: an id that stays, a home where its data are, and an incarnation that no other life of it ever had.
 *
 * @param id the node
 * @param incarnation this life of it; the id, a dot, and what no other life had
 * @param hostPath host name and data directory
 */
public record NodeIdentity(String id, String incarnation, String hostPath) {
    private static final Pattern ID_PATTERN = Pattern.compile("[A-Za-z0-9-]{1,40}");

    /**
     * The identity of a node whose data are in {@code data}; the first start makes one up and keeps it there.
     *
     * @param configured the configured id; empty for none
     * @param life a text that no other life of the node ever had
     * @param host the machine's name
     */
    public static NodeIdentity of(Path data, String configured, String life, String host) throws IOException {
        String id = configured.isEmpty() ? loadOrCreateId(data.resolve("node.id"), life) : configured;
        if (!ID_PATTERN.matcher(id).matches()) {
            throw new IllegalArgumentException("a node id has 1 to 40 letters, digits and hyphens, not '" + id + "'");
        }
        return new NodeIdentity(id, id + "." + life, host + ":" + data.toAbsolutePath());
    }

    private static String loadOrCreateId(Path file, String fresh) throws IOException {
        if (!Files.exists(file)) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, "node-" + fresh);
        }
        return Files.readString(file).strip();
    }

    /** The name under which executions are held in one term of this life: a lease that was let go begins a new term. */
    public String leaseHolder(int term) {
        return incarnation + "." + term;
    }
}
