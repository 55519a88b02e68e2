package org.sallyport.connector.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.http.Origin;

/** How much of what another installation offers is taken over. */
class OfferTest {
    private static final int MEBI = 1024 * 1024;

    private final OtherDoor door = new OtherDoor();
    private final There there = new There(
            new Origin(
                    door.url(),
                    new Origin.Manner(true, 4, 64 * MEBI, Duration.ofSeconds(30)),
                    InetAddress::getAllByName),
            OtherDoor.KEY);

    OfferTest() throws IOException {}

    @AfterEach
    void stop() {
        there.close();
        door.close();
    }

    private static String tools(int count, int schemaChars) {
        String schema = "{\"description\":\"" + "x".repeat(schemaChars) + "\"}";
        return IntStream.range(0, count)
                .mapToObj(number -> "{\"name\":\"shop.t" + number + "\",\"inputSchema\":" + schema + "}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private List<ToolDefinition> taken(String... namespaces) throws IOException {
        return Offer.of(there, new Namespaces(List.of(namespaces), true), new Origin.Request())
                .tools();
    }

    @Test
    void capabilitiesAreCountedApartFromTools() throws IOException {
        door.tools(tools(600, 1));
        door.capabilities("[{\"name\":\"house.clean\",\"stable\":\"1.0.0\"}]");
        assertThat(taken("shop", "capabilities"))
                .hasSize(601)
                .extracting(ToolDefinition::original)
                .contains("shop.t599", "capabilities.house.clean");
    }

    @Test
    void moreToolsThanAnybodyNeedsAreRefused() {
        door.tools(tools(2_001, 1));
        assertThatThrownBy(() -> taken("shop")).hasMessageContaining("more than 2000 tools");
    }

    @Test
    void aToolWhoseSchemaNobodyCouldUseIsLeftOut() throws IOException {
        String longOne = tools(1, 600_000);
        door.tools(longOne.substring(0, longOne.length() - 1)
                + ",{\"name\":\"shop.other\",\"inputSchema\":{}},{\"name\":\"shop.gives\",\"outputSchema\":{\"title\":\""
                + "x".repeat(600_000) + "\"}}]");
        assertThat(taken("shop")).extracting(ToolDefinition::original).containsExactly("shop.other");
    }

    @Test
    void whatItSaysOfItsToolsHasAnEnd() {
        door.tools(tools(40, 500_000));
        assertThatThrownBy(() -> taken("shop")).hasMessageContaining("more than 16000000 characters");
    }
}
