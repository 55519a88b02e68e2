package org.sallyport.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client of the Chrome DevTools protocol. */
final class DevToolsClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int lastId;

    private DevToolsClient(String url) {
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(url), new DevToolsReceiver())
                .join();
    }

    static DevToolsClient attach(String url) {
        return new DevToolsClient(url);
    }

    private final class DevToolsReceiver implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean whole) {
            text.append(part);
            if (whole) {
                messages.add(parse(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    /** Sends a command and waits for its result. */
    JsonNode send(String method, String parameters) throws InterruptedException {
        int id = ++lastId;
        socket.sendText("{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .join();
        List<JsonNode> others = new ArrayList<>();
        try {
            while (true) {
                JsonNode message = next();
                if (message.path("id").asInt() == id) {
                    return message.path("result");
                }
                others.add(message);
            }
        } finally {
            messages.addAll(others);
        }
    }

    /** Waits for an event. */
    JsonNode await(String method) throws InterruptedException {
        while (true) {
            JsonNode message = next();
            if (method.equals(message.path("method").asText())) {
                return message.path("params");
            }
        }
    }

    private JsonNode next() throws InterruptedException {
        JsonNode message = messages.poll(60, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("the debugger says nothing");
        }
        return message;
    }

    @Override
    public void close() {
        socket.abort();
    }

    static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException malformed) {
            throw new AssertionError(malformed);
        }
    }
}
