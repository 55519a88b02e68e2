package org.sallyport.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Identity of this node: a permanent id, the location of its data, and an incarnation that is unique to this process.
 *
 * @param id the node
 * @param incarnation this incarnation: the id, a dot, and a unique text
 * @param hostPath host name and data directory
 */
public record NodeIdentity(String id, String incarnation, String hostPath) {
    private static final Pattern ID_PATTERN = Pattern.compile("[A-Za-z0-9-]{1,40}");

    /**
     * Returns the identity of a node with the data directory {@code data}; the first start generates an id and stores
     * it there.
     *
     * @param configured the configured id; empty for none
     * @param suffix a text that is unique to this incarnation
     * @param host the machine's name
     */
    public static NodeIdentity of(Path data, String configured, String suffix, String host) throws IOException {
        String id = configured.isEmpty() ? loadOrCreateId(data.resolve("node.id"), suffix) : configured;
        if (!ID_PATTERN.matcher(id).matches()) {
            throw new IllegalArgumentException("a node id has 1 to 40 letters, digits and hyphens, not '" + id + "'");
        }
        return new NodeIdentity(id, id + "." + suffix, host + ":" + data.toAbsolutePath());
    }

    private static String loadOrCreateId(Path file, String fresh) throws IOException {
        if (!Files.exists(file)) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, "node-" + fresh);
        }
        return Files.readString(file).strip();
    }

    /** Returns the lease owner of one term of this incarnation; each release of the lease starts a new term. */
    public String leaseOwner(int term) {
        return incarnation + "." + term;
    }
}
