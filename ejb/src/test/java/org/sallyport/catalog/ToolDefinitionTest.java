package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

class ToolDefinitionTest {
    private static ToolDefinition definition(String name, String schema) {
        return new ToolDefinition(
                name, name, "", new Json(schema), Optional.empty(), new ToolHints(false, false, false));
    }

    private static void assertStored(ToolDefinition tool) {
        ToolDefinition stored = ToolDefinition.of(tool.toJson());
        assertThat(stored).isEqualTo(tool);
        assertThat(stored.hash()).hasSize(64).isEqualTo(tool.hash());
    }

    @Test
    void textsOfAnyLengthAreStored() {
        String text = "x".repeat(20_000_001); // beyond the default limit of Jackson
        assertStored(definition("long", "{\"title\":\"" + text + "\"}"));
        assertStored(definition(text, "{}"));
    }

    @Test
    void membersWithTheSameHashAreStored() {
        Stream<String> names = Stream.of("");
        for (int i = 0; i < 9; i++) {
            names = names.flatMap(name -> Stream.of(name + "Ab", name + "BA")); // 33 * 'A' + 'b' = 33 * 'B' + 'A'
        }
        assertStored(
                definition("same", names.map(name -> "\"" + name + "\":1").collect(Collectors.joining(",", "{", "}"))));
    }
}
