package org.sallyport.bench.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class McpEchoServerTest {

    @Test
    void serverSpeaksTheVersionOfItsClientAndHasTwoTools() throws Exception {
        List<JsonNode> answers = answers("""
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","id":"two","method":"tools/list"}
                """);

        assertThat(answers).hasSize(2);
        assertThat(answers.get(0).at("/result/protocolVersion").asText()).isEqualTo("2025-06-18");
        assertThat(answers.get(0).at("/result/capabilities").has("tools")).isTrue();
        assertThat(answers.get(1).path("id").asText()).isEqualTo("two");
        JsonNode tools = answers.get(1).at("/result/tools");
        assertThat(tools.findValuesAsText("name"))
                .containsExactly(McpEchoServer.READ_ONLY_TOOL, McpEchoServer.WRITING_TOOL);
        assertThat(tools.at("/0/annotations/readOnlyHint").asBoolean()).isTrue();
        assertThat(tools.at("/1/annotations/readOnlyHint").asBoolean(true)).isFalse();
    }

    @Test
    void callReturnsItsArguments() throws Exception {
        JsonNode answer = answers("""
                {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"i":3,"text":"ü"}}}
                """).get(0);

        assertThat(answer.path("id").asInt()).isEqualTo(7);
        assertThat(answer.at("/result/structuredContent").toString()).isEqualTo("{\"i\":3,\"text\":\"ü\"}");
        assertThat(answer.at("/result/content/0/text").asText()).isEqualTo("{\"i\":3,\"text\":\"ü\"}");
    }

    @Test
    void pingIsAnsweredAndOtherRequestsAreRefused() throws Exception {
        List<JsonNode> answers = answers("""
                {"jsonrpc":"2.0","id":1,"method":"ping"}
                {"jsonrpc":"2.0","id":2,"method":"resources/list"}
                """);

        assertThat(answers.get(0).has("result")).isTrue();
        assertThat(answers.get(1).at("/error/code").asInt()).isEqualTo(-32_601);
    }

    private static List<JsonNode> answers(String lines) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        McpEchoServer.serve(
                new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8));
        List<JsonNode> answers = new ArrayList<>();
        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            answers.add(new ObjectMapper().readTree(line));
        }
        return answers;
    }
}
