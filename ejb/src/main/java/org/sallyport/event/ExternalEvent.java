package org.sallyport.event;

import java.util.Optional;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/**
 * An event to be stored that no script emits.
 *
 * @param name its name, 1 to {@link ScriptEvent#MAX_NAME_LENGTH} characters
 * @param data its payload
 * @param emittedBy who emits it
 * @param idempotency the emitter's key against double storage; unique in the tenant
 */
public record ExternalEvent(String name, Json data, String emittedBy, Optional<IdempotencyKey> idempotency) {}
