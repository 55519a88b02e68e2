package org.sallyport.script;

import java.time.Instant;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;

/**
 * What a list shows of a script.
 *
 * @param name what it is run by
 * @param language of its code
 * @param hash of both, see {@link ScriptHash}
 * @param description the comment that it begins with; may be empty
 * @param savedBy id of the key whose execution it was kept of
 * @param lastRun an execution of it that completed; it may be there no more
 * @param savedAt since when it is kept
 * @param usedAt when it was last kept or run by its name, to the minute
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
