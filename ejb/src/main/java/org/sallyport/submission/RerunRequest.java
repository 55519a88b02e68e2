package org.sallyport.submission;

import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * A request to run an execution again; an empty member keeps the value of the original.
 *
 * @param mode how much of the journal is replayed
 * @param from the first call that is made for real, from 1
 * @param code another script
 * @param language the language of the other script
 * @param args other arguments
 * @param context another context
 * @param limits other limits
 * @param labels other labels
 * @param priority another priority, 0 to 9
 * @param debug the debug mode of the re-run
 * @param intent the reason for the re-run
 * @param idempotency the client's key against double submission
 * @param dryRun whether effects are listed instead of made
 */
public record RerunRequest(
        RerunOrigin.RerunMode mode,
        long from,
        Optional<String> code,
        Optional<ScriptLanguage> language,
        Optional<Json> args,
        Optional<Json> context,
        RequestedLimits limits,
        Optional<Map<String, String>> labels,
        Optional<Integer> priority,
        DebugMode debug,
        Optional<String> intent,
        Optional<IdempotencyKey> idempotency,
        boolean dryRun) {}
