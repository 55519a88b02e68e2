package org.sallyport.web.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.ExactNumberEncoder;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/**
 * Generates a test from a recorded execution: mocks its tools with the recorded responses, and expects the recorded
 * result.
 */
final class TestFromRecording {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Matches calls by their arguments, so that concurrent calls may come in any order. */
    private static final String TEST_TEMPLATE = """
            // The recording of execution %1$s: the answers of its tools, its input and its result.
            const heard = JSON.parse(%2$s);
            // A script that reads the globals "args" and "context" gets those that the tests were submitted with.
            const given = JSON.parse(%3$s);
            const plain = (value) => JSON.parse(JSON.stringify(value) ?? 'null');

            test('returns what %1$s returned', async () => {
              for (const name of Object.keys(heard)) {
                const left = heard[name].slice();
                mock(name, (args) => {
                  const at = left.findIndex((call) => JSON.stringify(call.args) === JSON.stringify(args));
                  if (at < 0) throw new Error(name + ' was not called with ' + JSON.stringify(args) + ' when this was \
            recorded');
                  const [{ result, error }] = left.splice(at, 1);
                  if (error) throw new ToolError(error.message, error);
                  return result;
                });
              }
              assert.equal(plain(await main(given.args, given.context)), given.result);
            });
            """;

    private final Map<String, ArrayNode> callsByTool = new TreeMap<>();
    private final Set<String> tools = new TreeSet<>();
    private final Set<String> foundTools = new TreeSet<>();
    private final Map<Optional<CapabilityRef>, ExecutionId> nestedExecutions = new LinkedHashMap<>();
    private final Map<Long, TraceEvent.ToolStarted> startedCalls = new TreeMap<>();
    private long estimatedChars;

    /**
     * Adds the next trace event.
     *
     * @param nested identifies the calls of capabilities
     */
    void add(TraceEvent event, CapabilityCallIndex nested) {
        if (event instanceof TraceEvent.ToolStarted started && !isHost(started)) {
            startedCalls.put(started.call(), started);
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            TraceEvent.ToolStarted started = startedCalls.remove(ended.call());
            if (started != null) {
                addCall(started, ended);
                String name = nested.grantedName(ended.call(), ended.tool()).toString();
                tools.add(name);
                if (ended.error()
                        .filter(error -> error.code() == ToolErrorCode.TOOL_NOT_FOUND)
                        .isEmpty()) {
                    foundTools.add(name);
                }
                nested.nestedExecution(ended.call())
                        .ifPresent(run -> nestedExecutions.putIfAbsent(run.capability(), run.id()));
            }
        }
    }

    private static boolean isHost(TraceEvent.ToolStarted started) {
        return started.tool().backend().equals(HostServices.BACKEND);
    }

    private void addCall(TraceEvent.ToolStarted started, TraceEvent.ToolEnded ended) {
        ObjectNode call = JSON.createObjectNode();
        call.putRawValue("args", scriptValue(started.arguments()));
        ended.result().ifPresent(result -> call.putRawValue("result", scriptValue(result)));
        ended.error().ifPresent(error -> call.set("error", error(ended, error)));
        estimatedChars += started.arguments().text().length()
                + ended.result().map(Json::text).map(String::length).orElse(0);
        callsByTool
                .computeIfAbsent(started.tool().toString(), tool -> JSON.createArrayNode())
                .add(call);
    }

    private static ObjectNode error(TraceEvent.ToolEnded ended, ToolError error) {
        ObjectNode json = JSON.createObjectNode();
        json.put("message", error.message());
        json.put("backend", ended.tool().backend());
        json.put("tool", ended.tool().tool());
        json.put("code", error.code().code());
        json.put("retryable", error.code().isRetryable());
        error.details().ifPresent(details -> json.putRawValue("details", scriptValue(details)));
        return json;
    }

    /** The JSON as the script saw it. A BigInt in arguments, too, is a text for the functions that mock tools. */
    private static RawValue scriptValue(Json json) {
        return new RawValue(ExactNumberEncoder.encode(json.text()));
    }

    /** Names of the called tools, as {@code backend.tool}, in the form of grants. */
    List<String> tools() {
        return List.copyOf(tools);
    }

    /**
     * Those of {@link #tools} whose calls all failed with {@code tool-not-found}. They may exist: their backends can
     * answer with this code, too.
     */
    List<String> toolsNeverFound() {
        return tools.stream().filter(name -> !foundTools.contains(name)).toList();
    }

    /** For each called capability, one of its executions. */
    List<ExecutionId> nestedExecutions() {
        return List.copyOf(nestedExecutions.values());
    }

    /** Approximate length of the test, in characters. */
    long estimatedChars() {
        return estimatedChars;
    }

    /** The test code for {@code POST /tests}, in JavaScript that is also valid TypeScript. */
    String code(ExecutionId id, Json args, Json context, Json result) {
        ObjectNode calls = JSON.createObjectNode();
        callsByTool.forEach(calls::set);
        ObjectNode given = JSON.createObjectNode();
        given.putRawValue("args", scriptValue(args));
        given.putRawValue("context", scriptValue(context));
        given.putRawValue("result", new RawValue(result.text()));
        return TEST_TEMPLATE.formatted(id, stringLiteral(calls), stringLiteral(given));
    }

    /** A JavaScript string literal that contains JSON. An object literal would treat {@code __proto__} specially. */
    private static String stringLiteral(ObjectNode json) {
        return JSON.getNodeFactory().textNode(json.toString()).toString();
    }
}
