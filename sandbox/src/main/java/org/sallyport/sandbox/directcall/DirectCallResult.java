package org.sallyport.sandbox.directcall;

import java.util.Optional;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.guest.ToolReplyReader;

/** The result of a script that is one call, with the same messages as the guest. */
final class DirectCallResult {
    private static final long CALL_ORDINAL = 1;
    private static final int MAX_MESSAGE_LENGTH = 10_000;

    private DirectCallResult() {}

    static SessionResult ofReply(DirectCall call, String reply, int resultChars) {
        Optional<String> error = ToolReplyReader.findError(reply);
        if (error.isPresent()) {
            return ofError(call, new GuestError("tool-failed", error.get(), false, null));
        }
        if (!call.returnsResult()) {
            return new SessionResult.ScriptReturned("null");
        }
        JsonStringifier result = JsonStringifier.stringify("result", JsValueParser.parse(reply), resultChars);
        if (result instanceof JsonStringifier.StringifiedJson text) {
            return new SessionResult.ScriptReturned(text.json());
        }
        if (result instanceof JsonStringifier.JsonRefused refused) {
            String message = truncate("TypeError: " + refused.message());
            return new SessionResult.ScriptThrew("result-not-json", message, 0, 0, "", null, 0);
        }
        return new SessionResult.SessionLimitReached(
                SessionResult.SessionLimitType.RESULT,
                "The result is longer than " + resultChars + " characters; raise limits.resultChars or return less");
    }

    static SessionResult ofError(DirectCall call, GuestError error) {
        String name = error.code().equals("outcome-unknown") ? "ToolOutcomeUnknownError" : "ToolError";
        boolean placed = call.position().isKnown();
        return new SessionResult.ScriptThrew(
                error.code(),
                truncate(error.message().isEmpty() ? name : name + ": " + error.message()),
                call.position().line(),
                call.position().column(),
                placed
                        ? "    at script:" + call.position().line() + ":"
                                + call.position().column()
                        : "",
                call.tool().backend() + "." + call.tool().tool(),
                CALL_ORDINAL);
    }

    private static String truncate(String message) {
        if (message.length() <= MAX_MESSAGE_LENGTH) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_MESSAGE_LENGTH - 1))
                ? MAX_MESSAGE_LENGTH - 1
                : MAX_MESSAGE_LENGTH;
        return message.substring(0, end) + "…";
    }
}
