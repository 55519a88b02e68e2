package org.sallyport.web.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Rerun;
import org.sallyport.submission.RerunRequest;

/** Reads what a caller asks to have run again. */
final class RerunReader {
    private static final Set<String> KNOWN = Set.of(
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
    private static final int LONGEST_MODE = 20;

    private RerunReader() {}

    /** @param key the caller's key against double submission, if there is one */
    static RerunRequest read(ExecutionId original, StrictJson.Body request, Optional<String> key) {
        Members body = new Members(request.json());
        body.allow(KNOWN);
        Rerun.Mode mode = mode(body);
        Optional<String> code = body.text("code", Integer.MAX_VALUE);
        if (code.isPresent() && code.get().isBlank()) {
            throw body.fault("code", "is empty; leave it out for the same script");
        }
        return new RerunRequest(
                mode,
                from(body, mode),
                code,
                SubmissionReader.language(body),
                body.json("args"),
                body.json("context"),
                SubmissionReader.limits(body),
                request.json().hasNonNull("labels") ? Optional.of(SubmissionReader.labels(body)) : Optional.empty(),
                SubmissionReader.priority(body),
                SubmissionReader.debug(body),
                SubmissionReader.intent(body),
                key.map(text -> new Idempotency(text, hash(original, request))),
                body.flag("dryRun").orElse(false));
    }

    private static Rerun.Mode mode(Members body) {
        String mode = body.text("mode", LONGEST_MODE).orElse("fresh");
        return switch (mode) {
            case "fresh", "from", "offline" -> Rerun.Mode.valueOf(mode.toUpperCase(Locale.ROOT));
            default -> throw body.fault("mode", "must be fresh, from or offline");
        };
    }

    private static long from(Members body, Rerun.Mode mode) {
        Optional<Long> from = body.whole("from");
        if (mode != Rerun.Mode.FROM && from.isPresent()) {
            throw body.fault("from", "is only for the mode from");
        } else if (mode == Rerun.Mode.FROM && from.isEmpty()) {
            throw body.fault("from", "is missing: the first call that is made for real");
        } else if (from.orElse(1L) < 1) {
            throw body.fault("from", "must be at least 1");
        }
        return from.orElse(1L);
    }

    /** The same body means another request for another execution. */
    private static String hash(ExecutionId original, StrictJson.Body request) {
        try {
            String both = "rerun " + original + " " + request.sha256();
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(both.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
