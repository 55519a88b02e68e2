package org.sallyport.bench.part;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Creates the microbenchmarks of schema validation, redaction and message encoding, which the service does for each
 * call.
 */
final class CallTaskFactory {
    private static final int SECRETS = 50;
    private static final String ANSWER =
            "{\"written\":1200,\"path\":\"/data/reports/2026.txt\",\"note\":\"%s\",\"tags\":[\"a\",\"b\"]}";

    private CallTaskFactory() {}

    /** Validates correct arguments. */
    static MicrobenchmarkTask schemaAccepts() {
        ArgumentSchema schema = ArgumentSchema.compile(SampleCall.TOOL.inputSchema());
        return () -> {
            Optional<String> error = schema.validationError(SampleCall.ARGUMENTS);
            return requireCorrect(error, error.isEmpty());
        };
    }

    /** Validates arguments of which one is wrong. */
    static MicrobenchmarkTask schemaRejects() {
        ArgumentSchema schema = ArgumentSchema.compile(SampleCall.TOOL.inputSchema());
        return () -> {
            Optional<String> error = schema.validationError(SampleCall.INVALID_ARGUMENTS);
            return requireCorrect(error, error.isPresent() && error.get().startsWith("arguments/path: "));
        };
    }

    /** Redacts a result that contains none of fifty secrets. */
    static MicrobenchmarkTask nothingToRedact() {
        Redactor redaction = redactor();
        ToolResult answer = result("nothing of interest");
        return () -> {
            ToolResult shown = ToolResultRedactor.redact(answer, redaction);
            return requireCorrect(shown, shown == answer);
        };
    }

    /** Redacts a result that contains one of fifty secrets. */
    static MicrobenchmarkTask secretRedacted() {
        Redactor redaction = redactor();
        ToolResult answer = result("the key is " + secret(SECRETS / 2));
        ToolResult clean = result("the key is [redacted]");
        return () -> {
            ToolResult shown = ToolResultRedactor.redact(answer, redaction);
            return requireCorrect(shown, shown.equals(clean));
        };
    }

    /** Encodes the request message of a call, as the bridge does, and decodes it, as the connector does. */
    static MicrobenchmarkTask requestMessage() {
        ToolRequestMessage message = new ToolRequestMessage(SampleCall.CALL, Instant.parse("2026-01-05T09:00:00Z"));
        return () -> {
            ToolRequestMessage read = ToolRequestMessage.decode(message.encode());
            return requireCorrect(read, read.equals(message));
        };
    }

    /** Encodes the reply message, as the connector does, and decodes it, as the bridge does. */
    static MicrobenchmarkTask replyMessage() {
        ToolReplyMessage message = new ToolReplyMessage(new ToolReply(result("nothing of interest"), 1, 2));
        return () -> {
            ToolReplyMessage read = ToolReplyMessage.decode(message.encode());
            return requireCorrect(read, read.equals(message));
        };
    }

    private static ToolResult result(String note) {
        return ToolResult.success(new Json(ANSWER.formatted(note)));
    }

    private static Redactor redactor() {
        return new Redactor(
                IntStream.range(0, SECRETS).mapToObj(CallTaskFactory::secret).toList());
    }

    private static String secret(int number) {
        return "sk-%08x-of-the-bench".formatted(number * 0x9e3779b1);
    }

    private static Object requireCorrect(Object what, boolean right) throws WrongResultException {
        if (!right) {
            throw new WrongResultException("wrong result: " + what);
        }
        return what;
    }
}
