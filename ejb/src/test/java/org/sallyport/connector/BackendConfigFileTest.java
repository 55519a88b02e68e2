package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.tool.Json;

class BackendConfigFileTest {
    @Test
    void desktopClientConfigurationIsAccepted() {
        var backends = BackendConfigFile.parse("""
                {"mcpServers": {
                  "my files (2)": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "autoApprove": ["read"]},
                  "remote": {"type": "http", "url": "https://example.org/mcp", "headers": {"X": "y"}, "disabled": true}
                }}
                """);
        assertThat(backends)
                .extracting(BackendDefinition::name, BackendDefinition::kind, BackendDefinition::enabled)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("my_files__2_", "mcp-stdio", true),
                        org.assertj.core.groups.Tuple.tuple("remote", "mcp-http", false));
        assertThat(backends.get(0).settings())
                .isEqualTo(new Json("{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"A\":\"b\"}}"));
        assertThat(backends).extracting(BackendDefinition::origin).containsOnly(BackendOrigin.FILE);
    }

    @Test
    void examplesOfTheDocumentationAreAccepted() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "backends.md"));
        var examples = Pattern.compile("```(?:yaml|json)\\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(examples)
                .isNotEmpty()
                .allSatisfy(
                        example -> assertThat(BackendConfigFile.parse(example)).isNotEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "backends: [1]                                | backends | must be an object of backends by name",
                "backends: {a: 1}                             | backends.a | must be an object",
                "backends: {a: {command: x}}                  | backends.a.kind | is missing or not a text",
                "backends: {a: {kind: http, enabled: 'no'}}   | backends.a.enabled | must be true or false",
                "backend: {}                                  | backend | is unknown; known are backends, mcpServers",
                "backends: {a: {kind: x}, A: {kind: x}}       | backends.A | occurs twice",
                "`{\"mcpServers\": {\"a\": 1}}`               | mcpServers.a | must be an object",
                "`{\"mcpServers\": `                          | file | is no JSON",
            })
    void invalidConfigurationNamesTheMember(String text, String member, String reason) {
        assertThatThrownBy(() -> BackendConfigFile.parse(text))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo(member))
                .hasMessageContaining(reason);
    }

    @Test
    void emptyFileConfiguresNoBackends() {
        assertThat(BackendConfigFile.parse("")).isEmpty();
        assertThat(BackendConfigFile.parse("# later\n")).isEmpty();
    }
}
