package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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
                .containsExactly(tuple("my_files__2_", "mcp-stdio", true), tuple("remote", "mcp-http", false));
        assertThat(backends.get(0).settings())
                .isEqualTo(new Json("{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"A\":\"b\"}}"));
        assertThat(backends).extracting(BackendDefinition::origin).containsOnly(BackendOrigin.FILE);
    }

    @Test
    void membersOfDesktopClientsAreReadOrIgnored() {
        var backends = BackendConfigFile.parse("""
                \ufeff{
                \t"inputs": [{ "id": "key", "type": "promptString" }],
                \t"servers": {
                \t\t"one": {
                \t\t\t"type": "stdio", "command": "node", "args": ["a.mjs", "--port", 3000, 1.50, true],
                \t\t\t"env": { "PORT": 3000, "RATIO": 0.00001, "DEBUG": false, "EMPTY": null, "TEXT": "x" },
                \t\t\t"timeout": 60, "autoApprove": [], "disabled": false, "description": "mine", // a note
                \t\t},
                \t\t"two": { "serverUrl": "https://example.org/mcp", "headers": { "X-Id": 7 } },
                \t\t"three": { "type": "http", "httpUrl": "https://example.org/mcp", "enabled": false },
                \t},
                }
                """);
        assertThat(backends)
                .extracting(
                        BackendDefinition::kind,
                        BackendDefinition::enabled,
                        b -> b.settings().text())
                .containsExactly(
                        tuple(
                                "mcp-stdio",
                                true,
                                "{\"command\":\"node\",\"args\":[\"a.mjs\",\"--port\",\"3000\",\"1.5\",\"true\"],"
                                        + "\"env\":{\"PORT\":\"3000\",\"RATIO\":\"0.00001\",\"DEBUG\":\"false\","
                                        + "\"TEXT\":\"x\"}}"),
                        tuple("mcp-http", true, "{\"url\":\"https://example.org/mcp\",\"headers\":{\"X-Id\":\"7\"}}"),
                        tuple("mcp-http", false, "{\"url\":\"https://example.org/mcp\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"globalShortcut\":\"\",\"preferences\":{\"a\":1},\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
                "{\"$schema\":\"s\",\"theme\":\"Dark\",\"servers\":{\"a\":{\"command\":\"x\"}},\"mcp\":{\"b\":{}}}",
            })
    void otherSettingsOfDesktopClientsAreIgnored(String file) {
        assertThat(BackendConfigFile.parse(file))
                .extracting(BackendDefinition::name, BackendDefinition::kind)
                .containsExactly(tuple("a", "mcp-stdio"));
    }

    /** Clients write this type also for servers that have Streamable HTTP. */
    @Test
    void serverOfTheTypeSseIsTaken() {
        assertThat(BackendConfigFile.parse("servers: {a: {type: sse, url: 'https://example.org/mcp'}}"))
                .singleElement()
                .satisfies(backend -> {
                    assertThat(backend.kind()).isEqualTo("mcp-http");
                    assertThat(backend.settings()).isEqualTo(new Json("{\"url\":\"https://example.org/mcp\"}"));
                });
    }

    @Test
    void anchorsMayBeDefinedInMembersOfTheirOwn() {
        var backends = BackendConfigFile.parse("""
                x-node: &node { kind: mcp-stdio, command: node, timeoutMillis: 20000 }
                backends:
                  refs: { <<: *node, args: ["refs.mjs", 7] }
                  other: { <<: *node, enabled: false, command: deno }
                """);
        assertThat(backends)
                .extracting(
                        BackendDefinition::name,
                        BackendDefinition::enabled,
                        b -> b.settings().text())
                .containsExactly(
                        tuple(
                                "refs",
                                true,
                                "{\"args\":[\"refs.mjs\",\"7\"],\"command\":\"node\",\"timeoutMillis\":20000}"),
                        tuple("other", false, "{\"command\":\"deno\",\"timeoutMillis\":20000}"));
    }

    @Test
    void faultHasItsLineAndColumn() {
        assertThatThrownBy(() -> BackendConfigFile.parse("backends:\n  a:\n\t- b\n"))
                .hasMessageContaining("(line 3, column 1)");
        assertThatThrownBy(() -> BackendConfigFile.parse("{\"backends\": {\n  \"a\": x}}"))
                .hasMessageContaining("(line 2, column ");
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
                "`{\"backends\": {}, \"mcpServers\": {}, \"theme\": 1}` | theme | is unknown; known are",
                "[]                                           | file | must be an object",
                "`a: [1\nb`                                    | file | is no YAML",
                "mcpServers: {a: {args: []}}                  | mcpServers.a | has neither 'command' nor 'url'",
                "mcpServers: {a: {command: [x]}}              | mcpServers.a.command | must be a text",
                "mcpServers: {a: {command: x, args: y}}       | mcpServers.a.args | must be a list of texts",
                "mcpServers: {a: {command: x, args: [y, {}]}} | mcpServers.a.args[1] | must be a text, a number",
                "mcpServers: {a: {command: x, args: [null]}}  | mcpServers.a.args[0] | must be a text, a number",
                "`{\"servers\": {\"a\": {\"command\": \"x\", \"args\": [1e400]}}}` | servers.a.args[0] | a finite",
                "`{\"servers\": {\"a\": {\"command\": \"x\", \"env\": {\"B\": -1e400}}}}` | servers.a.env.B | a finite",
                "servers: {a: {command: x, envFile: .env}}    | servers.a.envFile | is not read; write the variables",
                "mcpServers: {a: {command: x, env: [y]}}      | mcpServers.a.env | must be an object of texts",
                "mcpServers: {a: {command: x, env: {B: [1]}}} | mcpServers.a.env.B | must be a text, a number",
                "servers: {a: {url: x, headers: {B: '${input:key}'}}} | servers.a.headers.B | answer of the user",
                "servers: {a: {command: x, args: [y, '-d=${workspaceFolder}']}} | servers.a.args[1]"
                        + " | '${workspaceFolder}', which only a desktop client can replace",
                "servers: {a: {command: '${userHome}/x'}}     | servers.a.command | '${userHome}', which only a",
                "servers: {a: {url: 'http://${env:HOST}/'}}   | servers.a.url | '${env:HOST}', which is replaced in",
                "servers: {a: {command: x, cwd: '${env:C}'}}  | servers.a.cwd | '${env:C}', which is replaced in",
                "servers: {a: {command: x, env: {B: '${env:C} ${D}'}}} | servers.a.env.B | '${D}', which only a",
                "backends: {a: {kind: mcp-stdio, command: x, args: [[]]}} | backends.a.args[0] | must be a text",
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
    void variablesOfTheEnvironmentAndSecretsAreKept() {
        assertThat(BackendConfigFile.parse("""
                servers:
                  a: { command: x, args: ["--key=${secret:k}", "$HOME"], env: { B: "${env:C}", D: "a ${file:/e} b" } }
                """))
                .singleElement()
                .satisfies(backend -> assertThat(backend.settings())
                        .isEqualTo(new Json("{\"command\":\"x\",\"args\":[\"--key=${secret:k}\",\"$HOME\"],"
                                + "\"env\":{\"B\":\"${env:C}\",\"D\":\"a ${file:/e} b\"}}")));
    }

    @Test
    void emptyFileConfiguresNoBackends() {
        assertThat(BackendConfigFile.parse("")).isEmpty();
        assertThat(BackendConfigFile.parse("# later\n")).isEmpty();
    }
}
