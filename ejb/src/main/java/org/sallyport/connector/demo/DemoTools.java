package org.sallyport.connector.demo;

import static org.sallyport.tool.ToolHints.DESTRUCTIVE;
import static org.sallyport.tool.ToolHints.EFFECT;
import static org.sallyport.tool.ToolHints.IDEMPOTENT;
import static org.sallyport.tool.ToolHints.READ_ONLY;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Tool definitions of the demo backend. */
final class DemoTools {
    static final String BACKEND = "demo";
    static final int MAX_DELAY_MILLIS = 600_000;
    /** The longest name, key, address or subject, in characters. */
    static final int MAX_NAME_CHARS = 200;

    private static final int MAX_BODY_CHARS = 4_096;
    private static final String NAME = stringSchema(MAX_NAME_CHARS);

    static final List<ToolSpec> ALL = List.of(
            tool("echo", READ_ONLY, "Gives back what it was given.", "{}"),
            new ToolSpec(
                    new ToolName(BACKEND, "add"),
                    "Adds two numbers.",
                    new Json(objectSchema("\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}", "\"a\",\"b\"")),
                    Optional.of(new Json("{\"type\":\"number\"}")),
                    READ_ONLY),
            tool("clock", READ_ONLY, "Tells the time, as ISO 8601 text.", "{}"),
            tool(
                    "slow",
                    READ_ONLY,
                    "Gives back `value` after `millis` milliseconds.",
                    objectSchema("\"millis\":" + integerSchema(0, MAX_DELAY_MILLIS) + ",\"value\":{}", "\"millis\"")),
            tool(
                    "fail",
                    READ_ONLY,
                    "Fails with `message`; `code` comes back in the error's details.",
                    objectSchema("\"message\":{\"type\":\"string\"},\"code\":{\"type\":\"string\"}", "")),
            tool(
                    "flaky",
                    READ_ONLY,
                    "Fails the first `failures` times it is called with `name`, then gives the number of calls.",
                    objectSchema(
                            "\"name\":" + NAME + ",\"failures\":" + integerSchema(0, 1_000), "\"name\",\"failures\"")),
            tool("kv_get", READ_ONLY, "The value under `key`, or null.", objectSchema("\"key\":" + NAME, "\"key\"")),
            tool(
                    "kv_put",
                    IDEMPOTENT,
                    "Keeps `value` under `key`.",
                    objectSchema("\"key\":" + NAME + ",\"value\":{}", "\"key\",\"value\"")),
            tool("counter_read", READ_ONLY, "The count of `name`.", objectSchema("\"name\":" + NAME, "\"name\"")),
            tool(
                    "counter_increment",
                    EFFECT,
                    "Adds `by` (default 1) to the count of `name` after `delayMillis`; returns the new count.",
                    objectSchema(
                            "\"name\":" + NAME + ",\"by\":" + integerSchema(-1_000_000, 1_000_000) + ",\"delayMillis\":"
                                    + integerSchema(0, MAX_DELAY_MILLIS),
                            "\"name\"")),
            tool(
                    "counter_ledger",
                    READ_ONLY,
                    "The ids of the last 10,000 calls that raised `name`, in order.",
                    objectSchema("\"name\":" + NAME, "\"name\"")),
            tool(
                    "send_mail",
                    DESTRUCTIVE,
                    "Sends nothing, but notes the mail in the outbox.",
                    objectSchema(
                            "\"to\":" + NAME + ",\"subject\":" + NAME + ",\"body\":" + stringSchema(MAX_BODY_CHARS),
                            "\"to\",\"subject\",\"body\"")),
            tool("outbox", READ_ONLY, "The last 100 mails noted.", "{}"));

    private DemoTools() {}

    private static ToolSpec tool(String name, ToolHints hints, String description, String schema) {
        return new ToolSpec(new ToolName(BACKEND, name), description, new Json(schema), hints);
    }

    private static String objectSchema(String properties, String required) {
        return "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required
                + "],\"additionalProperties\":false}";
    }

    private static String stringSchema(int maxChars) {
        return "{\"type\":\"string\",\"maxLength\":" + maxChars + "}";
    }

    private static String integerSchema(int least, int max) {
        return "{\"type\":\"integer\",\"minimum\":" + least + ",\"maximum\":" + max + "}";
    }
}
