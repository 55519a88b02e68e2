package org.sallyport.script;

import java.time.Instant;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;

/**
 * Summary of a saved script, as shown in lists.
 *
 * @param name its name
 * @param language the language of its code
 * @param hash hash of language and code, see {@link ScriptHash}
 * @param description the comment at its beginning; may be empty
 * @param savedBy id of the API key whose execution saved it
 * @param lastRun a completed execution of it; may be deleted
 * @param savedAt when it was saved
 * @param usedAt when it was last saved or run by its name, to the minute
 */
public record ScriptSummary(
        String name,
        ScriptLanguage language,
        String hash,
        String description,
        String savedBy,
        ExecutionId lastRun,
        Instant savedAt,
        Instant usedAt) {}
