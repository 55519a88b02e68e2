package org.sallyport.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A stream of server-sent events from the service. Only one thread may read it. */
public final class EventStream implements AutoCloseable {
    /** The service sends data at least every few seconds. After a longer silence the connection counts as lost. */
    private static final Duration MAX_SILENCE = Duration.ofSeconds(30);

    /** One event. After a lost connection, a new stream continues after its id. */
    public record StreamEvent(String id, String name, JsonNode data) {}

    private sealed interface StreamItem {
        record StreamLine(String line) implements StreamItem {}

        record StreamEnd(Exception reason) implements StreamItem {}
    }

    private static final int MAX_BUFFERED_LINES = 64;

    private final URI service;
    private final InputStream responseBody;
    private final BlockingQueue<StreamItem> items = new ArrayBlockingQueue<>(MAX_BUFFERED_LINES);
    private final Thread reader;
    private String lastId = "";

    EventStream(URI service, InputStream answer) {
        this.service = service;
        this.responseBody = answer;
        this.reader = new Thread(this::read, "events");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            StreamItem end = readLines();
            items.put(end);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Queues the received lines. Returns the reason why the stream ended. */
    private StreamItem readLines() throws InterruptedException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(responseBody, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                items.put(new StreamItem.StreamLine(line));
            }
            return new StreamItem.StreamEnd(new IOException("the stream ended"));
        } catch (IOException e) {
            return new StreamItem.StreamEnd(e);
        }
    }

    /** Waits for the next event. Throws {@link ServiceUnreachableException} when the stream ends or is silent. */
    public StreamEvent next() {
        String id = lastId;
        String name = "message";
        StringBuilder data = new StringBuilder();
        while (true) {
            String text = nextLine();
            if (text.isEmpty()) {
                // Only here: a connection that breaks before the blank line has not delivered the event of the id.
                lastId = id;
                if (!data.isEmpty()) {
                    return new StreamEvent(id, name, parseData(data.toString()));
                }
            } else if (text.startsWith("id:")) {
                id = fieldValue(text, 3);
            } else if (text.startsWith("event:")) {
                name = fieldValue(text, 6);
            } else if (text.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(fieldValue(text, 5));
            }
        }
    }

    /**
     * Returns the id of the last event that was received completely, or of an id without an event after it; {@code ""}
     * if there was none. The id of an event that the connection cut is not returned.
     */
    public String lastId() {
        return lastId;
    }

    private static String fieldValue(String line, int from) {
        return line.substring(line.startsWith(" ", from) ? from + 1 : from);
    }

    private JsonNode parseData(String data) {
        try {
            return ApiJson.parse(data);
        } catch (JsonProcessingException e) {
            throw new ServiceUnreachableException(service, "its events are not JSON: is this a Sallyport service?", e);
        }
    }

    private String nextLine() {
        try {
            StreamItem next = items.poll(MAX_SILENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof StreamItem.StreamLine text) {
                return text.line();
            }
            throw next instanceof StreamItem.StreamEnd end
                    ? connectionLost(end.reason())
                    : connectionLost(new IOException("the event stream sent nothing for 30 s"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw connectionLost(e);
        }
    }

    private ServiceUnreachableException connectionLost(Exception reason) {
        return new ServiceUnreachableException(
                service, Objects.toString(reason.getMessage(), "the connection broke"), reason);
    }

    @Override
    public void close() {
        reader.interrupt();
        try {
            responseBody.close();
        } catch (IOException e) {
            // The connection was already broken.
            return;
        }
    }
}
