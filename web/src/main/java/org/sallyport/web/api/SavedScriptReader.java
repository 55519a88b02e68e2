package org.sallyport.web.api;

import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.script.ScriptNameRules;
import org.sallyport.submission.RunSavedScriptRequest;

/** Reads the name under which to save a script, and the reference of the saved script to run. */
final class SavedScriptReader {
    static final String SAVE_AS_MEMBER = "cacheAs";

    static final String SCRIPT_MEMBER = "cached";
    private static final int MAX_NAME_LENGTH = 200;

    private SavedScriptReader() {}

    /** Whether a submission names a saved script instead of containing a script. */
    static boolean namesSavedScript(JsonMembers body) {
        return body.has(SCRIPT_MEMBER);
    }

    static RunSavedScriptRequest readRunRequest(JsonMembers body, Optional<IdempotencyKey> idempotency) {
        for (String other : Set.of("code", "language", "capability", "version", SAVE_AS_MEMBER)) {
            if (body.has(other)) {
                throw body.invalidMember(other, "does not go with 'cached', which names the script to run");
            }
        }
        SubmissionReader.rejectUnknownWithoutCode(
                body, Set.of(SCRIPT_MEMBER, "integrity", CacheOptionsReader.CACHE_MEMBER));
        return new RunSavedScriptRequest(
                body.text(SCRIPT_MEMBER, MAX_NAME_LENGTH)
                        .orElseThrow(() -> body.invalidMember(SCRIPT_MEMBER, "is missing")),
                body.text("integrity", MAX_NAME_LENGTH),
                SubmissionReader.toSubmission(body, "", idempotency));
    }

    /** The name under which to save the script of a submission; empty if it is not to be saved. */
    static Optional<String> saveAsName(JsonMembers body) {
        Optional<String> name = body.text(SAVE_AS_MEMBER, MAX_NAME_LENGTH);
        if (name.isPresent() && !ScriptNameRules.isValid(name.get())) {
            throw body.invalidMember(
                    SAVE_AS_MEMBER,
                    "must be a lower-case letter or digit and up to 99 more, of letters, digits, . _ or -; or '"
                            + CacheOptions.GENERATED_NAME + "' for a generated name");
        } else if (name.isPresent() && body.flag("dryRun").orElse(false)) {
            throw body.invalidMember(
                    SAVE_AS_MEMBER, "does not go with 'dryRun': a dry run does not prove that the script works");
        }
        return name;
    }
}
