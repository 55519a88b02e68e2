package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.activemq.artemis.core.security.CheckType;
import org.junit.jupiter.api.Test;

class ConnectorPermissionsTest {
    private static final List<String> ADDRESSES = List.of(
            "sallyport.external.files.calls",
            "sallyport.external.files.commands",
            "sallyport.external.files.status",
            "sallyport.external.files.replies.n1",
            "sallyport.external.files.replies",
            "sallyport.external.files.other",
            "sallyport.external.files",
            "sallyport.external.filesystem.calls",
            "sallyport.external.other.calls",
            "sallyport.external.other.replies.n1",
            "sallyport.external.#",
            "sallyport.external.*.calls",
            "sallyport.tool.files",
            "sallyport.tool.java",
            "sallyport.jobs",
            "sallyport.control",
            "sallyport.abandoned-calls",
            "sallyport.reply.n1",
            "activemq.management",
            "#",
            "");

    @Test
    void connectorHasExactlyTheListedPermissions() {
        Set<String> allowed = new TreeSet<>();
        for (CheckType check : CheckType.values()) {
            for (String address : ADDRESSES) {
                if (ConnectorPermissions.isAllowed("files", check, address)) {
                    allowed.add(check + " " + address);
                }
            }
        }
        assertThat(allowed)
                .isEqualTo(new TreeSet<>(Arrays.asList(
                        "CONSUME sallyport.external.files.calls",
                        "CONSUME sallyport.external.files.commands",
                        "CREATE_ADDRESS sallyport.external.files.commands",
                        "CREATE_NON_DURABLE_QUEUE sallyport.external.files.commands",
                        "DELETE_NON_DURABLE_QUEUE sallyport.external.files.commands",
                        "SEND sallyport.external.files.replies.n1",
                        "SEND sallyport.external.files.status")));
    }
}
