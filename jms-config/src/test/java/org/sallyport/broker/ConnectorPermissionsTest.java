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
            "sallyport.external.files.orders",
            "sallyport.external.files.registrations",
            "sallyport.external.files.answers.n1",
            "sallyport.external.files.answers",
            "sallyport.external.files.other",
            "sallyport.external.files",
            "sallyport.external.filesystem.calls",
            "sallyport.external.other.calls",
            "sallyport.external.other.answers.n1",
            "sallyport.external.#",
            "sallyport.external.*.calls",
            "sallyport.tool.files",
            "sallyport.tool.java",
            "sallyport.jobs",
            "sallyport.control",
            "sallyport.lost",
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
                        "CONSUME sallyport.external.files.orders",
                        "CREATE_ADDRESS sallyport.external.files.orders",
                        "CREATE_NON_DURABLE_QUEUE sallyport.external.files.orders",
                        "DELETE_NON_DURABLE_QUEUE sallyport.external.files.orders",
                        "SEND sallyport.external.files.answers.n1",
                        "SEND sallyport.external.files.registrations")));
    }
}
