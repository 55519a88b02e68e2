package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.submission.RerunRequest;
import org.sallyport.web.Sha256Hash;

/** Reads a request to re-run an execution. */
final class RerunReader {
    private static final Set<String> KNOWN_MEMBERS = Set.of(
            "mode",
            "from",
            "code",
            "language",
            "args",
            "context",
            "limits",
            "labels",
            "priority",
            "intent",
            "debug",
            "dryRun");
    private static final int MAX_MODE_LENGTH = 20;

    private RerunReader() {}

    /** @param key the caller's idempotency key, if there is one */
    static RerunRequest read(ExecutionId original, ObjectNode request, Optional<String> key) {
        JsonMembers body = new JsonMembers(request);
        body.rejectUnknown(KNOWN_MEMBERS);
        RerunOrigin.RerunMode mode = mode(body);
        Optional<String> code = body.text("code", Integer.MAX_VALUE);
        if (code.isPresent() && code.get().isBlank()) {
            throw body.invalidMember("code", "is empty; leave it out for the same script");
        }
        return new RerunRequest(
                mode,
                firstRealCall(body, mode),
                code,
                SubmissionReader.language(body),
                body.json("args"),
                body.json("context"),
                SubmissionReader.limits(body),
                request.hasNonNull("labels") ? Optional.of(SubmissionReader.labels(body)) : Optional.empty(),
                SubmissionReader.priority(body),
                SubmissionReader.debug(body),
                SubmissionReader.intent(body),
                key.map(text -> new IdempotencyKey(text, hash(original, request))),
                body.flag("dryRun").orElse(false));
    }

    private static RerunOrigin.RerunMode mode(JsonMembers body) {
        String mode = body.text("mode", MAX_MODE_LENGTH).orElse("fresh");
        return switch (mode) {
            case "fresh", "from", "offline" -> RerunOrigin.RerunMode.valueOf(mode.toUpperCase(Locale.ROOT));
            default -> throw body.invalidMember("mode", "must be fresh, from or offline");
        };
    }

    private static long firstRealCall(JsonMembers body, RerunOrigin.RerunMode mode) {
        Optional<Long> from = body.longValue("from");
        if (mode != RerunOrigin.RerunMode.FROM && from.isPresent()) {
            throw body.invalidMember("from", "is only for the mode from");
        } else if (mode == RerunOrigin.RerunMode.FROM && from.isEmpty()) {
            throw body.invalidMember("from", "is missing: the first call that is made for real");
        } else if (from.orElse(1L) < 1) {
            throw body.invalidMember("from", "must be at least 1");
        }
        return from.orElse(1L);
    }

    /** Includes the execution id, because the same body for another execution is another request. */
    private static String hash(ExecutionId original, ObjectNode request) {
        return Sha256Hash.of("rerun " + original + " " + CanonicalJsonHash.of(request));
    }
}
