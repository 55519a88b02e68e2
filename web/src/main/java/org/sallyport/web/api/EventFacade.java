package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.EventSettings;
import org.sallyport.event.EventBus;
import org.sallyport.event.ExternalEmitResult;
import org.sallyport.event.ExternalEvent;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.redaction.RedactedEvent;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.security.RequestRateLimiter;

/** Application service for events that callers emit, shared by REST and MCP. Thread-safe. */
@ApplicationScoped
public class EventFacade {
    static final String NAME = "name";
    static final String PAYLOAD = "payload";

    @Inject
    EventBus events;

    @Inject
    RedactionProvider redactions;

    @Inject
    Configuration configuration;

    @Inject
    RequestMemory memory;

    private RequestRateLimiter rateLimiter = new RequestRateLimiter(0, System::nanoTime);

    @PostConstruct
    void start() {
        rateLimiter = new RequestRateLimiter(configuration.get(EventSettings.MAX_PER_SECOND), System::nanoTime);
    }

    /**
     * Counts a request to emit an event.
     *
     * @throws ProblemException (rate limited) if the callers of the tenant emit too many
     */
    void throttle(String tenant) {
        if (rateLimiter.throttle(tenant).isPresent()) {
            throw new ProblemException(
                    ProblemType.RATE_LIMITED,
                    "the callers of this tenant emit more than " + rateLimiter.perSecond()
                            + " events a second on this node (the server's " + EventSettings.MAX_PER_SECOND.name()
                            + "); wait, and emit less often");
        }
    }

    /**
     * Emits the event that the arguments of an agent describe: the members of {@code POST /events}.
     *
     * @return the answer of {@code POST /events}
     * @throws ProblemException if the request is invalid or exceeds a limit
     */
    public ObjectNode emit(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        throttle(caller.tenant());
        memory.reserveCopy();
        String text = body.toString();
        long limit = configuration.get(EventSettings.MAX_BODY_BYTES);
        if (text.getBytes(StandardCharsets.UTF_8).length > limit) {
            throw new ProblemException(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "the event is larger than " + limit + " bytes (the server's " + EventSettings.MAX_BODY_BYTES.name()
                            + ")");
        }
        Optional<IdempotencyKey> idempotency = RequestParameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new IdempotencyKey(key, CanonicalJsonHash.of(body)));
        return represent(store(caller, body, idempotency));
    }

    /**
     * Stores the event that {@code body} describes, without the tenant's secrets, and wakes its waiters on all nodes.
     *
     * @throws ProblemException if the body is invalid, or the key was used with another request; unavailable if it
     *     is unknown whether the event is stored
     * @throws StoreUnavailableException if the event is not stored
     */
    ExternalEmitResult.ExternalEventStored store(Caller caller, ObjectNode body, Optional<IdempotencyKey> idempotency) {
        JsonMembers members = new JsonMembers(body);
        members.rejectUnknown(Set.of(NAME, PAYLOAD));
        String name = members.text(NAME, ScriptEvent.MAX_NAME_LENGTH)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> members.invalidMember(
                        NAME, "must be a text of 1 to " + ScriptEvent.MAX_NAME_LENGTH + " characters"));
        RedactedEvent event = RedactedEvent.of(
                name, members.json(PAYLOAD).orElse(Json.NULL), redactions.secretsRedactorFor(caller.tenant()));
        ExternalEmitResult result;
        try {
            result = events.emitExternal(
                    caller.tenant(), new ExternalEvent(event.name(), event.data(), caller.id(), idempotency));
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            throw new ProblemException(OutcomeProblems.unknown(
                    "the database does not answer, so it is unknown whether the event is stored; repeat the request"
                            + " with the same Idempotency-Key"));
        }
        if (result instanceof ExternalEmitResult.ExternalEventStored stored) {
            return stored;
        }
        throw new ProblemException(
                ProblemType.IDEMPOTENCY_CONFLICT,
                "this Idempotency-Key was used with another request; use a new key for a new request");
    }

    static ObjectNode represent(ExternalEmitResult.ExternalEventStored stored) {
        return ExecutionMapper.object().put("seq", stored.seq());
    }
}
