package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.secrets.SecretUnreadableException;
import org.sallyport.secrets.SecretVault;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhook.WebhookTarget;
import org.sallyport.webhook.InboundWebhook.WebhookUse;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookToken;
import org.sallyport.webhook.WebhookSignature;

/**
 * Handles deliveries to inbound webhooks in the name of the key that created the webhook, and with its current rights.
 * The sender learns no reasons; the webhook shows them to the tenant. Thread-safe.
 */
@ApplicationScoped
public class WebhookDeliveryFacade {
    /** Label that holds the name of the webhook of an execution. */
    static final String LABEL = "sallyport.webhook";

    private static final long SUBMIT_TIMEOUT_SECONDS = 20;
    /** A result that repeats within this time is not recorded again. */
    private static final Duration USE_INTERVAL = Duration.ofSeconds(10);

    private static final int MAX_RESULT_LENGTH = 500;
    /** Problems that a sender can act on. */
    private static final Set<ProblemType> DISCLOSED = Set.of(
            ProblemType.PAYLOAD_TOO_LARGE,
            ProblemType.RATE_LIMITED,
            ProblemType.QUEUE_FULL,
            ProblemType.QUOTA_EXCEEDED,
            ProblemType.IDEMPOTENCY_CONFLICT,
            ProblemType.IDEMPOTENCY_IN_PROGRESS);

    /** Problems after which the execution or the event may be stored. */
    private static final Set<ProblemType> UNKNOWN_RESULT = Set.of(ProblemType.UNAVAILABLE, ProblemType.INTERNAL_ERROR);

    private final InstantSource clock = InstantSource.system();

    @Inject
    InboundWebhookStore store;

    @Inject
    ApiKeyService keys;

    @Inject
    SecretVault vault;

    @Inject
    CapabilityRunService capabilities;

    @Inject
    EventFacade events;

    /**
     * A webhook that accepts deliveries.
     *
     * @param owner the caller in whose name it acts, as the key is now
     */
    public record OpenWebhook(InboundWebhook webhook, Caller owner) {}

    static boolean maySubmit(Caller caller) {
        return caller.roles().contains(Role.SUBMITTER) || caller.roles().contains(Role.ADMIN);
    }

    /** Returns the webhook of that token; empty if there is none, or it does not accept deliveries. */
    public Optional<OpenWebhook> open(String token) {
        Optional<InboundWebhook> found = InboundWebhookToken.isWellFormed(token)
                ? store.findByTokenHash(InboundWebhookToken.hash(token)).filter(InboundWebhook::enabled)
                : Optional.empty();
        Optional<Caller> owner = found.flatMap(webhook -> keys.findCaller(webhook.owner())
                .filter(caller -> caller.tenant().equals(webhook.tenant()))
                .filter(WebhookDeliveryFacade::maySubmit));
        if (found.isPresent() && owner.isEmpty()) {
            recordUse(found.get(), "refused: the key of its creator is no longer valid, or may no longer submit");
        }
        return owner.map(caller -> new OpenWebhook(found.orElseThrow(), caller));
    }

    /**
     * Handles a delivery; returns when its execution or event is stored.
     *
     * @param signature the header that the webhook names, if it names one
     * @param deliveryId the id of the delivery: a repeated id has no second effect
     * @throws ProblemException if the delivery is refused
     */
    public void deliver(OpenWebhook open, byte[] body, @Nullable String signature, Optional<String> deliveryId) {
        InboundWebhook webhook = open.webhook();
        webhook.signature().ifPresent(required -> requireSignature(webhook, required, signature, body));
        try {
            JsonNode json = body.length == 0 ? NullNode.getInstance() : StrictJsonReader.parseTree(body);
            Optional<IdempotencyKey> idempotency = deliveryId.map(id -> new IdempotencyKey(
                    // With spaces, which no key of a client has.
                    "webhook " + webhook.id() + " " + id, StrictJsonReader.sha256(body)));
            if (webhook.target() instanceof WebhookTarget.CapabilityTarget target) {
                run(open, target, json, idempotency);
                recordUse(webhook, "started");
            } else if (webhook.target() instanceof WebhookTarget.EventTarget target) {
                ObjectNode event = ExecutionMapper.object().put(EventFacade.NAME, target.event());
                event.set(EventFacade.PAYLOAD, json);
                events.throttle(webhook.tenant());
                events.store(open.owner(), event, idempotency);
                recordUse(webhook, "emitted");
            }
        } catch (StoreUnavailableException e) {
            throw unknownResult();
        } catch (ProblemException e) {
            if (UNKNOWN_RESULT.contains(e.problem().type())) {
                throw unknownResult();
            }
            recordUse(webhook, "refused: " + e.problem().detail());
            throw DISCLOSED.contains(e.problem().type())
                    ? new ProblemException(e.problem().type(), "the delivery was not accepted")
                    : new ProblemException(
                            ProblemType.INVALID_ARGUMENTS,
                            "the delivery was refused; the webhook shows its owner the reason");
        }
    }

    private void requireSignature(
            InboundWebhook webhook, WebhookSignature required, @Nullable String signature, byte[] body) {
        String key;
        try {
            key = vault.resolveValue(webhook.tenant(), required.secret(), "webhook " + webhook.name());
        } catch (SecretUnreadableException e) {
            recordUse(webhook, "refused: " + e.getMessage());
            throw new ProblemException(ProblemType.UNAVAILABLE, "the signature cannot be checked now");
        }
        if (signature == null || !required.isGenuine(signature, key, body, clock.instant())) {
            recordUse(webhook, "refused: the signature is missing, wrong or too old");
            throw new ProblemException(ProblemType.UNAUTHORIZED, "the signature is missing, wrong or too old");
        }
    }

    private void run(
            OpenWebhook open,
            WebhookTarget.CapabilityTarget target,
            JsonNode args,
            Optional<IdempotencyKey> idempotency) {
        ObjectNode request = ExecutionMapper.object().put("capability", target.capability());
        target.version().ifPresent(version -> request.put("version", version));
        request.set("args", args);
        open.webhook().grants().forEach(request.putArray("grants")::add);
        request.putObject("labels").put(LABEL, open.webhook().name());
        SubmissionResult result = await(open, request, idempotency);
        if (!(result instanceof SubmissionResult.SubmissionAccepted)) {
            throw new ProblemException(SubmissionProblems.toProblem(result));
        }
    }

    private SubmissionResult await(OpenWebhook open, ObjectNode request, Optional<IdempotencyKey> idempotency) {
        try {
            return capabilities
                    .submit(open.owner(), CapabilityReader.readRunRequest(new JsonMembers(request), idempotency))
                    .toCompletableFuture()
                    .get(SUBMIT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw unknownResult();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknownResult();
        } catch (ExecutionException e) {
            throw new ProblemException(ProblemMapper.problem(e.getCause() == null ? e : e.getCause()));
        }
    }

    private static ProblemException unknownResult() {
        return new ProblemException(
                ProblemType.UNAVAILABLE,
                "it is unknown whether the delivery was accepted; send it again with the same id");
    }

    /** Failures are not reported: the delivery has its result already. */
    private void recordUse(InboundWebhook webhook, String result) {
        Instant now = clock.instant();
        String text = result.length() > MAX_RESULT_LENGTH ? result.substring(0, MAX_RESULT_LENGTH) + "…" : result;
        try {
            store.recordUse(webhook, new WebhookUse(now, text), now.minus(USE_INTERVAL));
        } catch (RuntimeException e) {
            System.getLogger(WebhookDeliveryFacade.class.getName())
                    .log(Level.DEBUG, "the last use of webhook " + webhook.id() + " could not be stored", e);
        }
    }
}
