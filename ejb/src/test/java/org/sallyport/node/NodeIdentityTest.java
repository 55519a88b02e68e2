package org.sallyport.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIdentityTest {
    @TempDir
    private Path data;

    @Test
    void generatedNodeIdPersistsAndEachIncarnationDiffers() throws IOException {
        NodeIdentity first = NodeIdentity.of(data, "", "life-1", "host");
        NodeIdentity second = NodeIdentity.of(data, "", "life-2", "host");
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.hostPath()).isEqualTo(first.hostPath()).isEqualTo("host:" + data.toAbsolutePath());
        assertThat(second.leaseOwner(1)).isNotEqualTo(first.leaseOwner(1)).isNotEqualTo(second.leaseOwner(2));
    }

    @Test
    void invalidConfiguredNodeIdIsRefused() throws IOException {
        assertThat(NodeIdentity.of(data, "node-7", "life", "host").leaseOwner(3))
                .isEqualTo("node-7.life.3");
        assertThatThrownBy(() -> NodeIdentity.of(data, "a.b", "life", "host"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.b");
    }
}
