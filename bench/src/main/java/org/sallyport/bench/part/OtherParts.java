package org.sallyport.bench.part;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** What else is done with every call. */
final class OtherParts {
    private static final int SECRETS = 50;
    private static final String ANSWER =
            "{\"written\":1200,\"path\":\"/data/reports/2026.txt\",\"note\":\"%s\",\"tags\":[\"a\",\"b\"]}";

    private OtherParts() {}

    /** Arguments as they should be. */
    static Part schemaAccepts() {
        ArgumentSchema schema = ArgumentSchema.compile(Calls.TOOL.inputSchema());
        return () -> {
            Optional<String> fault = schema.fault(Calls.ARGUMENTS);
            return check(fault, fault.isEmpty());
        };
    }

    /** Arguments of which one is wrong. */
    static Part schemaRefuses() {
        ArgumentSchema schema = ArgumentSchema.compile(Calls.TOOL.inputSchema());
        return () -> {
            Optional<String> fault = schema.fault(Calls.WRONG);
            return check(fault, fault.isPresent() && fault.get().startsWith("arguments/path: "));
        };
    }

    /** An answer that holds none of fifty secrets. */
    static Part nothingToRedact() {
        Redaction redaction = redaction();
        ToolResult answer = answer("nothing of interest");
        return () -> {
            ToolResult shown = RedactedResult.of(answer, redaction);
            return check(shown, shown == answer);
        };
    }

    /** An answer that holds one of them. */
    static Part redacted() {
        Redaction redaction = redaction();
        ToolResult answer = answer("the key is " + secret(SECRETS / 2));
        ToolResult clean = answer("the key is [redacted]");
        return () -> {
            ToolResult shown = RedactedResult.of(answer, redaction);
            return check(shown, shown.equals(clean));
        };
    }

    /** The call as a message, written by the bridge and read by the connector. */
    static Part request() {
        ToolRequestMessage message = new ToolRequestMessage(Calls.CALL, Instant.parse("2026-01-05T09:00:00Z"));
        return () -> {
            ToolRequestMessage read = ToolRequestMessage.decode(message.encode());
            return check(read, read.equals(message));
        };
    }

    /** Its answer, the other way. */
    static Part reply() {
        ToolReplyMessage message = new ToolReplyMessage(new ToolReply(answer("nothing of interest"), 1, 2));
        return () -> {
            ToolReplyMessage read = ToolReplyMessage.decode(message.encode());
            return check(read, read.equals(message));
        };
    }

    private static ToolResult answer(String note) {
        return ToolResult.success(new Json(ANSWER.formatted(note)));
    }

    private static Redaction redaction() {
        return new Redaction(
                IntStream.range(0, SECRETS).mapToObj(OtherParts::secret).toList());
    }

    private static String secret(int number) {
        return "sk-%08x-of-the-bench".formatted(number * 0x9e3779b1);
    }

    private static Object check(Object what, boolean right) throws WrongResultException {
        if (!right) {
            throw new WrongResultException("came out: " + what);
        }
        return what;
    }
}
