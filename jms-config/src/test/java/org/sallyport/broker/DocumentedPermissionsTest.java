package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.FileDeploymentManager;
import org.apache.activemq.artemis.core.config.impl.FileConfiguration;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.settings.HierarchicalRepository;
import org.apache.activemq.artemis.core.settings.impl.HierarchicalObjectRepository;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the security settings that the documentation gives for an external broker grant a connector the same
 * rights as the embedded broker does.
 */
class DocumentedPermissionsTest {
    private static final List<String> ADDRESSES = List.of(
            "sallyport.external.texts.calls",
            "sallyport.external.texts.commands",
            "sallyport.external.texts.status",
            "sallyport.external.texts.replies.n1",
            "sallyport.external.other.calls",
            "sallyport.external.other.replies.n1",
            "sallyport.tool.texts",
            "sallyport.jobs",
            "sallyport.control",
            "sallyport.abandoned-calls",
            "sallyport.reply.n1",
            "activemq.management");

    @TempDir
    Path directory;

    @Test
    void documentedPermissionsMatchTheEmbeddedBroker() throws Exception {
        HierarchicalRepository<Set<Role>> rights = rights(documentedConfiguration());
        Set<String> allowed = new TreeSet<>();
        Set<String> expected = new TreeSet<>();
        List<String> services = new ArrayList<>();
        for (String address : ADDRESSES) {
            for (CheckType check : CheckType.values()) {
                if (hasPermission(rights, address, check, "connector-texts")) {
                    allowed.add(check + " " + address);
                }
                if (ConnectorPermissions.isAllowed("texts", check, address)) {
                    expected.add(check + " " + address);
                }
            }
            if (hasPermission(rights, address, CheckType.CREATE_ADDRESS, "sallyport")) {
                services.add(address);
            }
        }
        assertThat(allowed).isEqualTo(expected).isNotEmpty();
        assertThat(services).containsExactlyElementsOf(ADDRESSES);
    }

    private static boolean hasPermission(
            HierarchicalRepository<Set<Role>> rights, String address, CheckType check, String role) {
        return rights.getMatch(address).stream().anyMatch(one -> one.getName().equals(role) && check.hasRole(one));
    }

    private static HierarchicalRepository<Set<Role>> rights(Configuration configuration) {
        HierarchicalRepository<Set<Role>> rights = new HierarchicalObjectRepository<>();
        rights.setDefault(Set.of());
        for (Map.Entry<String, Set<Role>> one : configuration.getSecurityRoles().entrySet()) {
            rights.addMatch(one.getKey(), one.getValue());
        }
        return rights;
    }

    /** Returns the configuration of the embedded broker with the security settings of the documentation added. */
    private Configuration documentedConfiguration() throws Exception {
        var page = Pattern.compile("```xml\\n<security-settings>(.*?)</security-settings>\\n```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "connector-contract.md")));
        assertThat(page.find()).isTrue();
        String file = Files.readString(Path.of("src/main/resources/org/sallyport/broker/broker.xml"));
        assertThat(file).contains("</security-settings>");
        Path whole = Files.writeString(
                directory.resolve("broker.xml"),
                file.replace("</security-settings>", page.group(1) + "</security-settings>"));
        var configuration = new FileConfiguration();
        new FileDeploymentManager(whole.toUri().toString())
                .addDeployable(configuration)
                .readConfiguration();
        return configuration;
    }
}
