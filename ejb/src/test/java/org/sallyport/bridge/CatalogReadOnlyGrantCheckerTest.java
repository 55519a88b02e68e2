package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class CatalogReadOnlyGrantCheckerTest {
    private final ToolCatalog catalog = new ToolCatalog();
    private final CatalogReadOnlyGrantChecker checker = new CatalogReadOnlyGrantChecker(catalog);

    private void declare(String backend, ToolSpec... tools) {
        catalog.put(new CatalogBackend(backend, "java", "queue"), List.of(tools));
    }

    private static ToolSpec tool(String backend, String name, ToolHints hints) {
        return new ToolSpec(new ToolName(backend, name), "Does it.", Json.EMPTY_OBJECT, hints);
    }

    private boolean readOnly(String... grants) {
        return checker.reachOnlyReadOnlyTools(List.of(grants));
    }

    @Test
    void everyReachedToolMustBeReadOnly() {
        declare(
                "demo",
                tool("demo", "get", ToolHints.READ_ONLY),
                tool("demo", "get_all", ToolHints.READ_ONLY),
                tool("demo", "put", ToolHints.IDEMPOTENT));

        assertThat(readOnly()).isTrue();
        assertThat(readOnly("demo.get*")).isTrue();
        assertThat(readOnly("demo.get", "demo.get_all")).isTrue();
        assertThat(readOnly("demo.get", "demo.put")).isFalse();
        assertThat(readOnly("demo.*")).isFalse();
        assertThat(readOnly("*")).isFalse();
    }

    @Test
    void whatIsUnknownMayWrite() {
        declare("demo", tool("demo", "get", ToolHints.READ_ONLY));

        assertThat(readOnly("demo.get", "demo.absent")).isFalse();
        assertThat(readOnly("demo.get", "absent.*")).isFalse();
        assertThat(readOnly("capabilities.shop.refund")).isFalse();
        assertThat(readOnly("*.get")).as("may be a capability").isFalse();
        assertThat(readOnly("d*.get")).isTrue();
    }
}
