package org.sallyport.web.api;

import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Reuse;
import org.sallyport.script.ScriptNames;
import org.sallyport.submission.ScriptCall;

/** Reads under which name a script is to be kept, and which of those that were kept is to run. */
final class ScriptReader {
    static final String KEEP = "cacheAs";

    private static final String RUN = "cached";
    private static final int LONGEST = 200;

    private ScriptReader() {}

    /** Whether a submission names a script rather than bringing one. */
    static boolean isCall(Members body) {
        return body.has(RUN);
    }

    static ScriptCall call(Members body, Optional<Idempotency> idempotency) {
        for (String other : Set.of("code", "language", "capability", "version", KEEP)) {
            if (body.has(other)) {
                throw body.fault(other, "does not go with 'cached', which says what is to run");
            }
        }
        SubmissionReader.allowWithoutCode(body, Set.of(RUN, "integrity", ResultReader.MEMBER));
        return new ScriptCall(
                body.text(RUN, LONGEST).orElseThrow(() -> body.fault(RUN, "is missing")),
                body.text("integrity", LONGEST),
                SubmissionReader.taken(body, "", idempotency));
    }

    /** The name under which the script of a submission is to be kept. */
    static Optional<String> name(Members body) {
        Optional<String> name = body.text(KEEP, LONGEST);
        if (name.isPresent() && !ScriptNames.isOne(name.get())) {
            throw body.fault(
                    KEEP,
                    "must be a lower-case letter or digit and up to 99 more, of letters, digits, . _ or -; or '"
                            + Reuse.ANY_NAME + "' for a name that is made");
        } else if (name.isPresent() && body.flag("dryRun").orElse(false)) {
            throw body.fault(KEEP, "does not go with 'dryRun': what was not done did not go well");
        }
        return name;
    }
}
