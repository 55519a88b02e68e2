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

/** Server-sent events as they come. For one thread that reads. */
public final class EventStream implements AutoCloseable {
    /** The service sends something at least every few seconds: a longer silence is a connection that is gone. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);

    /** One event; its id is what a lost stream goes on from. */
    public record Event(String id, String name, JsonNode data) {}

    private sealed interface Heard {
        record Text(String line) implements Heard {}

        record Over(Exception reason) implements Heard {}
    }

    private static final int LINES_AHEAD = 64;

    private final URI service;
    private final InputStream answer;
    private final BlockingQueue<Heard> heard = new ArrayBlockingQueue<>(LINES_AHEAD);
    private final Thread reader;

    EventStream(URI service, InputStream answer) {
        this.service = service;
        this.answer = answer;
        this.reader = new Thread(this::read, "events");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            Heard over = lines();
            heard.put(over);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes on what comes, and gives how it ended. */
    private Heard lines() throws InterruptedException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard.put(new Heard.Text(line));
            }
            return new Heard.Over(new IOException("the stream ended"));
        } catch (IOException e) {
            return new Heard.Over(e);
        }
    }

    /** The next event; {@link UnreachableException} when the stream is over. */
    public Event next() {
        String id = "";
        String name = "message";
        StringBuilder data = new StringBuilder();
        while (true) {
            String text = line();
            if (text.isEmpty() && !data.isEmpty()) {
                return new Event(id, name, parsed(data.toString()));
            } else if (text.startsWith("id:")) {
                id = value(text, 3);
            } else if (text.startsWith("event:")) {
                name = value(text, 6);
            } else if (text.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(value(text, 5));
            }
        }
    }

    private static String value(String line, int from) {
        return line.substring(line.startsWith(" ", from) ? from + 1 : from);
    }

    private JsonNode parsed(String data) {
        try {
            return Json.parse(data);
        } catch (JsonProcessingException e) {
            throw new UnreachableException(service, "its events are not JSON: is this a Sallyport service?", e);
        }
    }

    private String line() {
        try {
            Heard next = heard.poll(LONGEST_SILENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof Heard.Text text) {
                return text.line();
            }
            throw next instanceof Heard.Over over
                    ? broken(over.reason())
                    : broken(new IOException("the stream has fallen silent"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw broken(e);
        }
    }

    private UnreachableException broken(Exception reason) {
        return new UnreachableException(service, Objects.toString(reason.getMessage(), "the connection broke"), reason);
    }

    @Override
    public void close() {
        reader.interrupt();
        try {
            answer.close();
        } catch (IOException e) {
            // It was broken already.
            return;
        }
    }
}
