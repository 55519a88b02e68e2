package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

class RecordedToolsTest {
    private static ToolDefinition tool(String name) {
        return new ToolDefinition(name, name, "", Json.EMPTY_OBJECT, Optional.empty(), ToolHints.EFFECT);
    }

    private static List<String> names(RecordedTools recorded) {
        return recorded.tools().stream()
                .map(tool -> tool.name() + (tool.available() ? "" : " retired"))
                .toList();
    }

    @Test
    void furtherNewToolsAreOmittedWhenABackendHasTooMany() {
        RecordedTools first = RecordedTools.of(List.of(), List.of(tool("c"), tool("a"), tool("b"), tool("a")), 4);
        assertThat(names(first)).containsExactly("a", "b", "c");
        assertThat(first.omitted()).isZero();

        RecordedTools second = RecordedTools.of(first.tools(), List.of(tool("a"), tool("x"), tool("z"), tool("y")), 4);
        assertThat(names(second)).containsExactly("a", "b retired", "c retired", "x");
        assertThat(second.omitted()).isEqualTo(2);

        // Known tools are not affected by the maximum, and no name becomes free.
        RecordedTools third = RecordedTools.of(second.tools(), List.of(tool("b"), tool("d")), 2);
        assertThat(names(third)).containsExactly("a retired", "b", "c retired", "x retired");
        assertThat(third.omitted()).isEqualTo(1);
    }

    /** As when a server sends new names with each list. */
    @Test
    void numberOfToolsIsBounded() {
        RecordedTools recorded = new RecordedTools(List.of(), 0);
        for (int round = 0; round < 8; round++) {
            List<ToolDefinition> declared = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                declared.add(tool("round " + round + " tool " + i));
            }
            recorded = RecordedTools.of(recorded.tools(), declared, BackendStore.MAX_TOOLS);
        }
        assertThat(recorded.tools()).hasSize(BackendStore.MAX_TOOLS);
        assertThat(recorded.omitted()).isEqualTo(2_000);
    }

    @Test
    void longDeclaredNameIsAbbreviatedAndDistinct() {
        String name = "\ud800 x".repeat(100_000);
        assertThat(tool("a".repeat(300)).declaredName()).isEqualTo("a".repeat(300));
        assertThat(tool(name + "1").declaredName())
                .startsWith(name.substring(0, 200) + "…")
                .hasSizeLessThan(300)
                .isEqualTo(tool(name + "1").declaredName())
                .isNotEqualTo(tool(name + "2").declaredName())
                .isNotEqualTo(tool(name + "\ud800").declaredName());
        assertThat(tool(name + "\ud800").declaredName())
                .isNotEqualTo(tool(name + "\ud801").declaredName());
    }
}
