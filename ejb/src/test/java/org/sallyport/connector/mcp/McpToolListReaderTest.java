package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class McpToolListReaderTest {
    private final McpToolListReader reader = new McpToolListReader();

    private static Map<String, Object> page(int tools, Object nextCursor) {
        return Map.of(
                "tools",
                IntStream.range(0, tools).mapToObj(i -> Map.of("name", "t" + i)).toList(),
                "nextCursor",
                nextCursor);
    }

    @Test
    void listUpToTheLimitsIsRead() {
        for (int number = 1; number < McpToolListReader.MAX_PAGES; number++) {
            String cursor = number + "-" + "c".repeat(McpToolListReader.MAX_CURSOR_LENGTH - 10);
            assertThat(reader.addPage(page(1, cursor))).contains(cursor);
        }
        assertThat(reader.addPage(page(McpToolListReader.MAX_TOOLS, ""))).isEmpty();
        assertThat(reader.toList().tools()).hasSize(McpToolListReader.MAX_TOOLS);
        assertThat(reader.toList().note()).isEmpty();
    }

    @Test
    void toolsWithTooManyCharactersAreRefused() {
        String title = "x".repeat(McpToolListReader.MAX_CHARS / 2);
        reader.addPage(Map.of("tools", List.of(Map.of("name", "a", "inputSchema", Map.of("title", title)))));
        assertThatThrownBy(() -> reader.addPage(
                        Map.of("tools", List.of(Map.of("name", "b", "inputSchema", Map.of("title", title))))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("characters");
    }

    @Test
    void cursorThatIsTooLongIsRefused() {
        String cursor = "c".repeat(McpToolListReader.MAX_CURSOR_LENGTH + 1);
        assertThatThrownBy(() -> reader.addPage(page(1, cursor)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cursor");
    }

    @Test
    void cursorThatIsNoTextEndsTheList() {
        assertThat(reader.addPage(page(1, List.of("next")))).isEmpty();
        assertThat(reader.toList().tools()).hasSize(1);
        assertThat(reader.toList().note())
                .contains("page 1 of its tool list has a cursor that is no text: later pages are not known");
    }
}
