package org.sallyport.web.api;

import jakarta.ws.rs.core.HttpHeaders;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.CancelRequest;

/** Reads the reason of a cancel request: {@code {"reason"}} in an optional body. */
public final class CancelReasonReader {
    /** Name of the member, and of the argument of agents. */
    public static final String REASON = "reason";

    private CancelReasonReader() {}

    /**
     * Reads the body of a request.
     *
     * @throws org.sallyport.web.ProblemException if it has a body that is invalid
     */
    static Optional<String> read(StrictJsonReader json, HttpHeaders headers, InputStream in) {
        return json.readIfPresent(headers, in).flatMap(body -> {
            JsonMembers members = new JsonMembers(body);
            members.rejectUnknown(Set.of(REASON));
            return read(members);
        });
    }

    /**
     * Reads the member {@value #REASON}; empty if it is absent or blank.
     *
     * @throws org.sallyport.web.ProblemException if it is no text, or too long
     */
    public static Optional<String> read(JsonMembers members) {
        return members.text(REASON, CancelRequest.MAX_REASON_LENGTH).filter(reason -> !reason.isBlank());
    }
}
