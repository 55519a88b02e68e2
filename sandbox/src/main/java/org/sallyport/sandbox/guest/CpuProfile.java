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
import org.sallyport.sandbox.parser.SourcePosition;

/**
 * Collects stack samples into a profile in the format that Chrome DevTools and speedscope open ({@code
 * Profiler.Profile} of the DevTools protocol): a tree of calls, the node of each sample, and the time between samples.
 * Not thread-safe.
 */
final class CpuProfile {
    /** About half a minute or more; later samples are dropped. */
    private static final int MAX_SAMPLES = 50_000;

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * One call on a stack.
     *
     * @param function name of the function; may be empty
     * @param source name of its source
     * @param position where the function begins
     */
    record ProfileStackFrame(String function, String source, SourcePosition position) {}

    private static final class CallTreeNode {
        final int id;
        final ProfileStackFrame frame;
        final Map<ProfileStackFrame, CallTreeNode> children = new LinkedHashMap<>();
        int hits;

        CallTreeNode(int id, ProfileStackFrame frame) {
            this.id = id;
            this.frame = frame;
        }
    }

    private final long startNanos;
    private final List<CallTreeNode> nodes = new ArrayList<>();
    private final CallTreeNode root = node(new ProfileStackFrame("(root)", "", SourcePosition.UNKNOWN));
    private final CallTreeNode idle;
    private final List<Integer> samples = new ArrayList<>();
    private final List<Long> timeDeltas = new ArrayList<>();
    private long lastNanos;

    CpuProfile(long startNanos) {
        this.startNanos = startNanos;
        lastNanos = startNanos;
        idle = child(root, new ProfileStackFrame("(idle)", "", SourcePosition.UNKNOWN));
    }

    /** Adds the stack sampled at a time; no frames mean that no script code was running. */
    void add(long nanos, List<ProfileStackFrame> outermostFirst) {
        if (samples.size() >= MAX_SAMPLES) {
            return;
        }
        CallTreeNode node = root;
        for (ProfileStackFrame frame : outermostFirst) {
            node = child(node, frame);
        }
        node = node == root ? idle : node;
        node.hits++;
        samples.add(node.id);
        timeDeltas.add((nanos - lastNanos) / 1_000);
        lastNanos = nanos;
    }

    /** Returns the text of a {@code .cpuprofile} file. */
    String toJson(long endNanos) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeArrayFieldStart("nodes");
            for (CallTreeNode node : nodes) {
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
            for (long delta : timeDeltas) {
                json.writeNumber(delta);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(CallTreeNode node, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", node.id);
        json.writeObjectFieldStart("callFrame");
        json.writeStringField("functionName", node.frame.function());
        json.writeStringField("scriptId", node.frame.source().isEmpty() ? "0" : "1");
        json.writeStringField("url", node.frame.source());
        json.writeNumberField("lineNumber", node.frame.position().line() - 1);
        json.writeNumberField("columnNumber", node.frame.position().column() - 1);
        json.writeEndObject();
        json.writeNumberField("hitCount", node.hits);
        json.writeArrayFieldStart("children");
        for (CallTreeNode child : node.children.values()) {
            json.writeNumber(child.id);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private CallTreeNode child(CallTreeNode parent, ProfileStackFrame frame) {
        return parent.children.computeIfAbsent(frame, this::node);
    }

    private CallTreeNode node(ProfileStackFrame frame) {
        CallTreeNode node = new CallTreeNode(nodes.size() + 1, frame);
        nodes.add(node);
        return node;
    }
}
