package org.sallyport.connector.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.http.SingleOriginHttpClient;

/** Limits on the tools and capabilities that are imported from another installation. */
class RemoteToolImporterTest {
    private static final int MEBI = 1024 * 1024;

    private final FakeInstallation installation = new FakeInstallation();
    private final RemoteInstallationClient remote = new RemoteInstallationClient(
            new SingleOriginHttpClient(
                    installation.url(),
                    new SingleOriginHttpClient.OriginClientOptions(true, 4, 64 * MEBI, Duration.ofSeconds(30)),
                    InetAddress::getAllByName),
            FakeInstallation.KEY);

    RemoteToolImporterTest() throws IOException {}

    @AfterEach
    void stop() {
        remote.close();
        installation.close();
    }

    private static String tools(int count, int schemaChars) {
        String schema = "{\"description\":\"" + "x".repeat(schemaChars) + "\"}";
        return IntStream.range(0, count)
                .mapToObj(number -> "{\"name\":\"shop.t" + number + "\",\"inputSchema\":" + schema + "}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private List<ToolDefinition> importTools(String... namespaces) throws IOException {
        return RemoteToolImporter.importTools(
                        remote,
                        new ImportedNamespaces(List.of(namespaces), true),
                        new SingleOriginHttpClient.AbortableRequest())
                .tools();
    }

    @Test
    void capabilitiesAreCountedSeparatelyFromTools() throws IOException {
        installation.tools(tools(600, 1));
        installation.capabilities("[{\"name\":\"house.clean\",\"stable\":\"1.0.0\"}]");
        assertThat(importTools("shop", "capabilities"))
                .hasSize(601)
                .extracting(ToolDefinition::originalName)
                .contains("shop.t599", "capabilities.house.clean");
    }

    @Test
    void tooManyToolsAreRefused() {
        installation.tools(tools(2_001, 1));
        assertThatThrownBy(() -> importTools("shop")).hasMessageContaining("more than 2000 tools");
    }

    @Test
    void toolWithAnOversizedSchemaIsUnusable() throws IOException {
        String longOne = tools(1, 600_000);
        installation.tools(longOne.substring(0, longOne.length() - 1)
                + ",{\"name\":\"shop.other\",\"inputSchema\":{}},{\"name\":\"shop.gives\","
                + "\"outputSchema\":{\"title\":\""
                + "x".repeat(600_000) + "\"}}]");
        assertThat(importTools("shop"))
                .extracting(
                        ToolDefinition::originalName, tool -> tool.unusable().isPresent())
                .containsExactly(tuple("shop.t0", true), tuple("shop.other", false), tuple("shop.gives", true));
    }

    @Test
    void toolThatIsUnusableThereIsUnusableHere() throws IOException {
        installation.tools("[{\"name\":\"shop.t\",\"inputSchema\":{},\"unusable\":\"it is too new\"}]");
        assertThat(importTools("shop"))
                .extracting(ToolDefinition::unusable)
                .containsExactly(Optional.of("it is too new"));
    }

    @Test
    void totalSizeOfToolDeclarationsIsLimited() {
        installation.tools(tools(40, 500_000));
        assertThatThrownBy(() -> importTools("shop")).hasMessageContaining("more than 16000000 characters");
    }
}
