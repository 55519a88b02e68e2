package org.sallyport.web.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.sallyport.web.openapi.ApiOperations;

/**
 * The operations that are audited, according to the annotations of the resource classes and to {@code docs/audit.md}.
 */
class AuditDocumentationTest {
    private static final Path PAGE = Path.of("..", "docs", "audit.md");
    private static final String BEGIN = "| operation | action |\n|---|---|\n";
    private static final String END = "\n(A test";

    @Test
    void everyChangingOperationIsAuditedOrMarkedUnaudited() {
        ApiOperations.resourceMethods().forEach((operation, method) -> {
            boolean audited = method.isAnnotationPresent(Audited.class);
            boolean unaudited = method.isAnnotationPresent(Unaudited.class);
            if (operation.startsWith("GET ")) {
                assertThat(audited || unaudited).as(operation).isFalse();
            } else {
                assertThat(audited ^ unaudited).as(operation).isTrue();
            }
        });
    }

    @Test
    void actionsNameAnObjectAndAVerb() {
        ApiOperations.resourceMethods().forEach((operation, method) -> {
            @Nullable Audited audited = method.getAnnotation(Audited.class);
            if (audited != null) {
                assertThat(audited.value()).as(operation).matches("[a-z]+(-[a-z]+)*\\.[a-z]+(-[a-z]+)*");
            }
        });
    }

    @Test
    void pageListsTheAuditedOperations() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        String expected = page.substring(0, from) + table() + page.substring(page.indexOf(END, from));
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(expected);
    }

    private static String table() {
        StringBuilder table = new StringBuilder();
        for (Map.Entry<String, Method> operation :
                ApiOperations.resourceMethods().entrySet()) {
            @Nullable Audited audited = operation.getValue().getAnnotation(Audited.class);
            @Nullable Unaudited unaudited = operation.getValue().getAnnotation(Unaudited.class);
            if (audited != null) {
                table.append("| `%s` | `%s` |\n".formatted(operation.getKey(), audited.value()));
            } else if (unaudited != null) {
                table.append("| `%s` | – (%s) |\n".formatted(operation.getKey(), unaudited.value()));
            }
        }
        return table.toString();
    }
}
