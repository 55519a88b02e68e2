package org.sallyport.connector.example;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

/** Backends that greet: {@code {"kind": "greeting", "settings": {"word": "Hello"}}}. */
public final class GreetingBackendType implements BackendType {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Json SCHEMA = new Json("""
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}""");

    @Override
    public String name() {
        return "greeting";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of();
    }

    /** The hints below are ours, so they count: no administrator need trust them. */
    @Override
    public boolean declaresTrustedHints() {
        return true;
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.add("word");
        settings.allowOnly(known);
        settings.text("word");
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        return new GreetingConnection(BackendSettings.of(definition.settings()).text("word"), listener);
    }

    private record GreetingConnection(String word, ConnectionListener listener) implements BackendConnection {
        @Override
        public void start() {
            listener.onToolsDeclared(List.of(new ToolDefinition(
                    "greet", "greet", "Greets a person", SCHEMA, Optional.empty(), ToolHints.READ_ONLY)));
            listener.onStateChanged(BackendState.READY, Optional.empty());
        }

        @Override
        public CompletionStage<ToolResult> call(BackendRequest call) {
            return CompletableFuture.completedFuture(result(call));
        }

        private ToolResult result(BackendRequest call) {
            try {
                String name =
                        MAPPER.readTree(call.arguments().text()).path("name").asText();
                TextNode greeting = TextNode.valueOf(word + ", " + name + "!");
                return ToolResult.success(new Json(greeting.toString()));
            } catch (JsonProcessingException e) {
                return ToolResult.failure(ToolErrorCode.INVALID_ARGUMENTS, "the arguments are no JSON");
            }
        }

        @Override
        public void cancel(CallId call) {
            // Every call has ended before it could be cancelled.
        }

        @Override
        public void close() {
            // There is no connection.
        }
    }
}
