package org.sallyport.submission;

import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * What a caller asks to have run again; what is empty is as it was.
 *
 * @param mode what is taken over of the recording
 * @param from the first call that is made for real, from 1
 * @param code another script
 * @param language its language
 * @param args another input
 * @param context another context
 * @param limits other limits
 * @param labels other marks
 * @param priority another priority, 0 to 9
 * @param debug how the caller wants to look into it
 * @param intent why it is to run again
 * @param idempotency the caller's key against double submission
 * @param dryRun whether its effects are listed and not made
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
