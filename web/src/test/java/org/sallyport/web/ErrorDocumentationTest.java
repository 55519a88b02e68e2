package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ErrorCode;
import org.sallyport.identity.token.LoginFailure;
import org.sallyport.tool.ToolErrorCode;

/** {@code docs/errors.md} lists exactly the codes in the source code, with the same properties. */
class ErrorDocumentationTest {
    private static final Path PAGE = Path.of("..", "docs", "errors.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z-]+)` \\| ([^|]+) \\| \\S.* \\|$");

    /** The first two cells of each row below a heading. */
    private static List<String> rows(String heading) throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf("\n## " + heading + "\n");
        assertThat(start).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", start + 1);
        return ROW.matcher(page.substring(start, end < 0 ? page.length() : end))
                .results()
                .map((MatchResult row) -> row.group(1) + " " + row.group(2))
                .sorted()
                .toList();
    }

    @Test
    void executionErrorCodesMatchThePage() throws IOException {
        assertThat(rows("Of an execution"))
                .isEqualTo(Arrays.stream(ErrorCode.values())
                        .map(code -> code.code() + " " + code.origin().name().toLowerCase(Locale.ROOT))
                        .sorted()
                        .toList());
    }

    @Test
    void executionErrorCodesMatchTheOpenApiDocument() throws IOException {
        String document = Files.readString(Path.of("src/main/resources/openapi.yaml"));
        int start = document.indexOf("\n    ExecutionError:");
        String schema = document.substring(start, document.indexOf("example:", start));
        String codes = schema.substring(schema.indexOf("A stable name."), schema.indexOf("or the code of"));

        assertThat(Pattern.compile("`([a-z-]+)`").matcher(codes).results().map(code -> code.group(1)))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList());
    }

    @Test
    void loginFailuresMatchThePage() throws IOException {
        assertThat(rows("Of a login"))
                .isEqualTo(Arrays.stream(LoginFailure.values())
                        .map(failure -> failure.code() + " " + failure.status())
                        .sorted()
                        .toList());
    }

    @Test
    void toolErrorCodesMatchThePage() throws IOException {
        assertThat(rows("Of a call"))
                .isEqualTo(Arrays.stream(ToolErrorCode.values())
                        .map(code -> code.code() + " " + (code.isRetryable() ? "yes" : "no"))
                        .sorted()
                        .toList());
    }

    @Test
    void problemTypesMatchThePage() throws IOException {
        Set<String> problems = Arrays.stream(ProblemType.values())
                .map(type -> type.uri().substring(type.uri().lastIndexOf(':') + 1) + " " + type.status())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(rows("Of a request")).containsExactlyElementsOf(problems);
    }
}
