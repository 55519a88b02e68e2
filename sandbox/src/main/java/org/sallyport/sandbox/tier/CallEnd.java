package org.sallyport.sandbox.tier;

import java.util.Optional;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.guest.Replies;

/** How a script ends that is one call: the words are those that the guest would find. */
final class CallEnd {
    private static final long CALL = 1;
    private static final int MAX_MESSAGE = 10_000;

    private CallEnd() {}

    static SessionEnd returned(PlannedCall call, String reply, int resultChars) {
        Optional<String> fault = Replies.fault(reply);
        if (fault.isPresent()) {
            return threw(call, new GuestError("tool-failed", fault.get(), false, null));
        }
        if (!call.returned()) {
            return new SessionEnd.Returned("null");
        }
        Encoding result = Encoding.of("result", JsonTree.read(reply), resultChars);
        if (result instanceof Encoding.Text text) {
            return new SessionEnd.Returned(text.json());
        }
        if (result instanceof Encoding.Refused refused) {
            String message = cut("TypeError: " + refused.message());
            return new SessionEnd.Threw("result-not-json", message, 0, 0, "", null, 0);
        }
        return new SessionEnd.LimitReached(
                SessionEnd.Limit.RESULT,
                "The result is longer than " + resultChars + " characters; raise limits.resultChars or return less");
    }

    static SessionEnd threw(PlannedCall call, GuestError error) {
        String name = error.code().equals("outcome-unknown") ? "ToolOutcomeUnknownError" : "ToolError";
        boolean placed = call.place().known();
        return new SessionEnd.Threw(
                error.code(),
                cut(error.message().isEmpty() ? name : name + ": " + error.message()),
                call.place().line(),
                call.place().column(),
                placed
                        ? "    at script:" + call.place().line() + ":"
                                + call.place().column()
                        : "",
                call.tool().backend() + "." + call.tool().tool(),
                CALL);
    }

    private static String cut(String message) {
        if (message.length() <= MAX_MESSAGE) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_MESSAGE - 1)) ? MAX_MESSAGE - 1 : MAX_MESSAGE;
        return message.substring(0, end) + "…";
    }
}
