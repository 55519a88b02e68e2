package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Reads a stream of server-sent events. The test must close it. */
public final class EventStreamClient implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final HttpResponse<Stream<String>> response;
    private final Iterator<String> lines;

    /** One event. */
    public record ServerSentEvent(String id, String name, JsonNode data) {}

    private EventStreamClient(HttpResponse<Stream<String>> response) {
        this.response = response;
        this.lines = response.body().iterator();
    }

    /** Sends a request and waits for the response headers, not for events. */
    public static EventStreamClient of(HttpRequest.Builder request) {
        HttpRequest built = request.setHeader("Accept", "text/event-stream").build();
        try {
            return new EventStreamClient(HTTP.send(built, HttpResponse.BodyHandlers.ofLines()));
        } catch (IOException e) {
            throw new AssertionError("no answer from " + built.uri() + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** The status of the response. */
    public int status() {
        return response.statusCode();
    }

    /** A header of the response, or an empty text if it is missing. */
    public String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The URI of the response. */
    public URI uri() {
        return response.uri();
    }

    /** Reads the events up to the first one that matches {@code enough}, or up to the end of the stream. */
    public List<ServerSentEvent> readUntil(Predicate<ServerSentEvent> enough) {
        List<ServerSentEvent> events = new ArrayList<>();
        String id = "";
        String name = "";
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("event: ")) {
                name = line.substring(7);
            } else if (line.startsWith("data: ")) {
                ServerSentEvent event = new ServerSentEvent(id, name, TestJson.read(line.substring(6)));
                events.add(event);
                if (enough.test(event)) {
                    return events;
                }
            }
        }
        return events;
    }

    /** Reads all events up to the end of the stream. */
    public List<ServerSentEvent> readAll() {
        return readUntil(event -> false);
    }

    @Override
    public void close() {
        response.body().close();
    }
}
