package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CapabilityToolNameTest {
    @Test
    void plainNamesStayReadable() {
        assertThat(CapabilityToolName.toolName("greet")).isEqualTo("capability-greet");
        assertThat(CapabilityToolName.toolName("sales.month_end")).isEqualTo("capability-sales__month_end");
    }

    @Test
    void toolNamesAreUniqueAndValidForClients() {
        String part = "a".repeat(40);
        List<String> names = List.of(
                "a.b",
                "a__b",
                "a_.b",
                "a._b",
                "a.b.c",
                "a__b.c",
                "a.b__c",
                "a_b",
                "a-b",
                part + "." + part + "." + part,
                part + "." + part + "." + part.replaceFirst("a$", "b"));
        Set<String> tools = new HashSet<>();
        names.forEach(name -> tools.add(CapabilityToolName.toolName(name)));

        assertThat(tools).hasSize(names.size()).allMatch(tool -> tool.matches("[a-zA-Z0-9_-]{1,64}"));
        assertThat(tools).allMatch(CapabilityToolName::isCapabilityTool);
    }
}
