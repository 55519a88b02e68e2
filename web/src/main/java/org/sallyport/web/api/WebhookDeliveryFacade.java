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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.auth.Role;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.secrets.SecretUnreadableException;
import org.sallyport.secrets.SecretVault;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.RunCapabilityRequest;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.TransientRefusals;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.Sha256Hash;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.security.RequestRateLimiter;
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

    private final InstantSource clock;
    /** Limits the rows that are written because of requests which may be forged, by webhook and kind of result. */
    private final RequestRateLimiter useLimiter;

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

    @Inject
    KeyUseTracker keyUses;

    @Inject
    RedactionProvider redactions;

    @Inject
    RequestMemory memory;

    public WebhookDeliveryFacade() {
        this(InstantSource.system(), System::nanoTime);
    }

    WebhookDeliveryFacade(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.useLimiter = new RequestRateLimiter(1, nanos);
    }

    /**
     * A webhook that accepts deliveries.
     *
     * @param owner the caller in whose name it acts, as the key is now
     */
    public record AcceptingWebhook(InboundWebhook webhook, Caller owner) {}

    /** A delivery whose signature is genuine, if the webhook requires one. */
    public static final class WebhookDelivery {
        private final AcceptingWebhook accepting;
        private final byte[] body;
        private final Optional<String> deliveryId;
        /** Of a signature that covers a time, and so identifies one delivery. */
        private final Optional<String> signatureHash;

        private WebhookDelivery(
                AcceptingWebhook accepting, byte[] body, Optional<String> deliveryId, Optional<String> signatureHash) {
            this.accepting = accepting;
            this.body = body;
            this.deliveryId = deliveryId;
            this.signatureHash = signatureHash;
        }

        /** An empty body counts as null. */
        private JsonNode parseBody() {
            return body.length == 0 ? NullNode.getInstance() : BoundedJson.parseTree(body);
        }

        /**
         * A key with spaces, which no key of a client has.
         *
         * @param json the body
         */
        private Optional<IdempotencyKey> idempotencyKey(JsonNode json) {
            return deliveryId
                    .or(() -> signatureHash.map(hash -> "signature " + hash))
                    .map(id -> new IdempotencyKey(
                            "webhook " + accepting.webhook().id() + " " + id, CanonicalJsonHash.of(json)));
        }
    }

    static boolean maySubmit(Caller caller) {
        return caller.roles().contains(Role.SUBMITTER) || caller.roles().contains(Role.ADMIN);
    }

    /**
     * Returns the webhook of that token; empty if there is none, or it does not accept deliveries. The answer is as of
     * now: ask again after a wait.
     */
    public Optional<AcceptingWebhook> findAccepting(String token) {
        Optional<InboundWebhook> found = InboundWebhookToken.isWellFormed(token)
                ? store.findByTokenHash(InboundWebhookToken.hash(token)).filter(InboundWebhook::enabled)
                : Optional.empty();
        Optional<Caller> owner = found.flatMap(webhook -> keys.findCaller(webhook.owner())
                .filter(caller -> caller.tenant().equals(webhook.tenant()))
                .filter(WebhookDeliveryFacade::maySubmit));
        if (found.isPresent() && owner.isEmpty()) {
            recordRefusal(found.get(), "the key of its creator is no longer valid, or may no longer submit");
        }
        return owner.map(caller -> new AcceptingWebhook(found.orElseThrow(), caller));
    }

    /**
     * Checks the signature of a delivery, if the webhook requires one. Stores nothing but the use of a genuine one and
     * the refusal of another, each at most once a second on average.
     *
     * @param signature the header that the webhook names, if it names one
     * @param deliveryId the id of the delivery, visible ASCII characters: a repeated id has no second effect
     * @throws ProblemException if the delivery is refused
     */
    public WebhookDelivery verify(
            AcceptingWebhook accepting, byte[] body, @Nullable String signature, Optional<String> deliveryId) {
        InboundWebhook webhook = accepting.webhook();
        Optional<String> mac =
                webhook.signature().map(required -> requireSignature(webhook, required, signature, body));
        boolean coversTime = webhook.signature()
                .filter(required -> required.scheme() == WebhookSignature.SignatureScheme.TIMESTAMPED)
                .isPresent();
        Optional<String> hash = mac.filter(any -> coversTime).map(Sha256Hash::of);
        return new WebhookDelivery(accepting, body, deliveryId, hash);
    }

    /**
     * Handles a delivery; returns when its execution or event is stored.
     *
     * @throws ProblemException if the delivery is refused, or it is unknown whether it was accepted
     * @throws StoreUnavailableException if the delivery was not accepted
     */
    public void deliver(WebhookDelivery delivery) {
        AcceptingWebhook accepting = delivery.accepting;
        InboundWebhook webhook = accepting.webhook();
        keyUses.recordUse(webhook.owner());
        delivery.signatureHash.ifPresent(hash -> bindSignature(webhook, hash, delivery.deliveryId.orElse("")));
        Optional<SubmissionResult> refused = Optional.empty();
        try {
            JsonNode json = delivery.parseBody();
            Optional<IdempotencyKey> idempotency = delivery.idempotencyKey(json);
            if (webhook.target() instanceof WebhookTarget.CapabilityTarget target) {
                refused = run(accepting, target, json, idempotency);
                if (refused.isEmpty()) {
                    recordUse(webhook, "started");
                }
            } else if (webhook.target() instanceof WebhookTarget.EventTarget target) {
                ObjectNode event = ExecutionMapper.object().put(EventFacade.NAME, target.event());
                event.set(EventFacade.PAYLOAD, json);
                events.throttle(webhook.tenant());
                events.store(accepting.owner(), event, idempotency);
                recordUse(webhook, "emitted");
            }
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            throw unknownResult();
        } catch (ProblemException e) {
            throw toRefusal(webhook, e.problem(), false);
        }
        if (refused.isPresent()) {
            SubmissionResult reason = refused.get();
            throw toRefusal(webhook, SubmissionProblems.toProblem(reason), TransientRefusals.contains(reason));
        }
    }

    /**
     * Records the reason for the owner of the webhook, and returns the answer to its sender.
     *
     * @param mayPass whether the same delivery may be accepted later
     */
    private ProblemException toRefusal(InboundWebhook webhook, Problem reason, boolean mayPass) {
        if (UNKNOWN_RESULT.contains(reason.type())) {
            return unknownResult();
        }
        recordRefusal(webhook, reason.detail());
        if (DISCLOSED.contains(reason.type())) {
            return new ProblemException(reason.type(), "the delivery was not accepted");
        }
        return mayPass
                ? new ProblemException(
                        ProblemType.UNAVAILABLE,
                        "the delivery was not accepted for a reason that may pass; send it again")
                : new ProblemException(
                        ProblemType.INVALID_ARGUMENTS,
                        "the delivery was refused; the webhook shows its owner the reason");
    }

    /** Refuses a delivery that someone recorded, and sends again under another id. */
    private void bindSignature(InboundWebhook webhook, String hash, String deliveryId) {
        Instant now = clock.instant();
        Instant expiry = now.plus(WebhookSignature.TOLERANCE.multipliedBy(2));
        if (!store.bindSignature(webhook, hash, deliveryId, now, expiry)) {
            recordRefusal(webhook, "another delivery had this signature");
            throw new ProblemException(ProblemType.UNAUTHORIZED, "another delivery had this signature; sign it again");
        }
    }

    private String requireSignature(
            InboundWebhook webhook, WebhookSignature required, @Nullable String signature, byte[] body) {
        String key;
        try {
            key = vault.readValue(webhook.tenant(), required.secret());
        } catch (SecretUnreadableException e) {
            recordRefusal(webhook, String.valueOf(e.getMessage()));
            throw new ProblemException(
                    ProblemType.UNAVAILABLE,
                    "the delivery was not accepted: its signature cannot be checked before the owner of this address"
                            + " stores the secret again");
        }
        Optional<String> mac =
                signature == null ? Optional.empty() : required.verify(signature, key, body, clock.instant());
        if (mac.isEmpty()) {
            recordRefusal(webhook, "the signature is missing, wrong or too old");
            throw new ProblemException(ProblemType.UNAUTHORIZED, "the signature is missing, wrong or too old");
        }
        if (useLimiter.throttle("secret " + webhook.id()).isEmpty()) {
            vault.recordUse(webhook.tenant(), required.secret(), "webhook " + webhook.name());
        }
        return mac.get();
    }

    /** Returns why the execution was not accepted; nothing if it was. */
    private Optional<SubmissionResult> run(
            AcceptingWebhook accepting,
            WebhookTarget.CapabilityTarget target,
            JsonNode args,
            Optional<IdempotencyKey> idempotency) {
        ObjectNode request = ExecutionMapper.object().put("capability", target.capability());
        target.version().ifPresent(version -> request.put("version", version));
        request.set("args", args);
        accepting.webhook().grants().forEach(request.putArray("grants")::add);
        request.putObject("labels").put(LABEL, accepting.webhook().name());
        SubmissionResult result = await(accepting, request, idempotency);
        return result instanceof SubmissionResult.SubmissionAccepted ? Optional.empty() : Optional.of(result);
    }

    private SubmissionResult await(
            AcceptingWebhook accepting, ObjectNode request, Optional<IdempotencyKey> idempotency) {
        RunCapabilityRequest call = CapabilityReader.readRunRequest(new JsonMembers(request), idempotency);
        try {
            return memory.holdUntilDone(() -> capabilities.submit(accepting.owner(), call))
                    .toCompletableFuture()
                    .get(SUBMIT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw unknownResult();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknownResult();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreUnavailableException away) {
                throw away;
            }
            throw new ProblemException(ProblemMapper.problem(e.getCause() == null ? e : e.getCause()));
        }
    }

    private static ProblemException unknownResult() {
        return new ProblemException(OutcomeProblems.unknown(
                "it is unknown whether the delivery was accepted; if it has an id, send it again with the same id"));
    }

    private void recordUse(InboundWebhook webhook, String result) {
        recordLimited(webhook, "accepted", result);
    }

    /** Limited apart from accepted deliveries, so that refused ones do not hide them. */
    private void recordRefusal(InboundWebhook webhook, String reason) {
        recordLimited(webhook, "refused", "refused: " + reason);
    }

    /** Failures are not reported: the delivery has its result already. */
    private void recordLimited(InboundWebhook webhook, String kind, String result) {
        if (useLimiter.throttle(kind + " " + webhook.id()).isPresent()) {
            return;
        }
        Instant now = clock.instant();
        try {
            // A reason may quote the body.
            String text = redactions.redactorFor(webhook.tenant()).redact(result);
            store.recordUse(webhook, new WebhookUse(now, abbreviate(text)), now.minus(USE_INTERVAL));
        } catch (RuntimeException e) {
            System.getLogger(WebhookDeliveryFacade.class.getName())
                    .log(Level.DEBUG, "the last use of webhook " + webhook.id() + " could not be stored", e);
        }
    }

    private static String abbreviate(String text) {
        return text.length() > MAX_RESULT_LENGTH ? text.substring(0, MAX_RESULT_LENGTH) + "…" : text;
    }
}
