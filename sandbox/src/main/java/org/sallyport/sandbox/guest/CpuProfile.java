package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.sandbox.source.Place;

/**
 * Samples of a stack, as a profile in the format that Chrome DevTools and speedscope open ({@code Profiler.Profile} of the
 * DevTools protocol): a tree of calls, which of its nodes each sample met, and the time between samples. Not thread-safe.
 */
final class CpuProfile {
    /** Half a minute and more; what comes later is not kept. */
    private static final int SAMPLES = 50_000;

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * One call on a stack.
     *
     * @param function its name; may be empty
     * @param source name of its source
     * @param place where the function begins
     */
    record Frame(String function, String source, Place place) {}

    private static final class Node {
        final int id;
        final Frame frame;
        final Map<Frame, Node> children = new LinkedHashMap<>();
        int hits;

        Node(int id, Frame frame) {
            this.id = id;
            this.frame = frame;
        }
    }

    private final long startNanos;
    private final List<Node> nodes = new ArrayList<>();
    private final Node root = node(new Frame("(root)", "", Place.UNKNOWN));
    private final Node idle;
    private final List<Integer> samples = new ArrayList<>();
    private final List<Long> deltas = new ArrayList<>();
    private long lastNanos;

    CpuProfile(long startNanos) {
        this.startNanos = startNanos;
        lastNanos = startNanos;
        idle = child(root, new Frame("(idle)", "", Place.UNKNOWN));
    }

    /** Adds what was seen at a time; no frames when nothing of the script ran. */
    void add(long nanos, List<Frame> outermostFirst) {
        if (samples.size() >= SAMPLES) {
            return;
        }
        Node node = root;
        for (Frame frame : outermostFirst) {
            node = child(node, frame);
        }
        node = node == root ? idle : node;
        node.hits++;
        samples.add(node.id);
        deltas.add((nanos - lastNanos) / 1_000);
        lastNanos = nanos;
    }

    /** The text of a {@code .cpuprofile} file. */
    String json(long endNanos) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeArrayFieldStart("nodes");
            for (Node node : nodes) {
                write(node, json);
            }
            json.writeEndArray();
            json.writeNumberField("startTime", startNanos / 1_000);
            json.writeNumberField("endTime", Math.max(endNanos, lastNanos) / 1_000);
            json.writeArrayFieldStart("samples");
            for (int sample : samples) {
                json.writeNumber(sample);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("timeDeltas");
            for (long delta : deltas) {
                json.writeNumber(delta);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(Node node, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", node.id);
        json.writeObjectFieldStart("callFrame");
        json.writeStringField("functionName", node.frame.function());
        json.writeStringField("scriptId", node.frame.source().isEmpty() ? "0" : "1");
        json.writeStringField("url", node.frame.source());
        json.writeNumberField("lineNumber", node.frame.place().line() - 1);
        json.writeNumberField("columnNumber", node.frame.place().column() - 1);
        json.writeEndObject();
        json.writeNumberField("hitCount", node.hits);
        json.writeArrayFieldStart("children");
        for (Node child : node.children.values()) {
            json.writeNumber(child.id);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private Node child(Node parent, Frame frame) {
        return parent.children.computeIfAbsent(frame, this::node);
    }

    private Node node(Frame frame) {
        Node node = new Node(nodes.size() + 1, frame);
        nodes.add(node);
        return node;
    }
}
