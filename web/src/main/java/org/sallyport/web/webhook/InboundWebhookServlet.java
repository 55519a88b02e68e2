package org.sallyport.web.webhook;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.WebhookSettings;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.api.OutcomeProblems;
import org.sallyport.web.api.StrictJsonReader;
import org.sallyport.web.api.WebhookDeliveryFacade;
import org.sallyport.web.api.WebhookDeliveryFacade.AcceptingWebhook;
import org.sallyport.web.api.WebhookDeliveryFacade.WebhookDelivery;
import org.sallyport.web.async.BodyReadLimiter;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.RequestRateLimiter;
import org.sallyport.webhook.InboundWebhook;

/**
 * {@code POST /hooks/TOKEN}: a delivery to an inbound webhook, authenticated by the token and perhaps a signature. An
 * unknown token, a disabled webhook and a webhook without a valid owner have the same answer.
 */
@WebServlet(name = "inbound-webhook", urlPatterns = AuthenticationFilter.WEBHOOKS + "/*", asyncSupported = true)
public class InboundWebhookServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Pattern DELIVERY_ID = Pattern.compile("[\\x21-\\x7e]{1,200}");
    private static final Set<ProblemType> RETRYABLE = EnumSet.of(
            ProblemType.UNAVAILABLE, ProblemType.RATE_LIMITED, ProblemType.QUEUE_FULL, ProblemType.QUOTA_EXCEEDED);

    @Inject
    transient WebhookDeliveryFacade deliveries;

    @Inject
    transient StrictJsonReader json;

    @Inject
    transient AuditRecorder auditRecorder;

    @Inject
    transient FailedLoginLimiter loginLimiter;

    @Inject
    transient RequestRateLimiter keyLimiter;

    @Inject
    transient Configuration configuration;

    private transient WebhookDeliveryLimiter limiter =
            new WebhookDeliveryLimiter(0, new RequestRateLimiter(0, System::nanoTime), System::nanoTime);

    @PostConstruct
    void start() {
        limiter = new WebhookDeliveryLimiter(
                configuration.get(WebhookSettings.MAX_PER_SECOND), keyLimiter, System::nanoTime);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            if (!request.getMethod().equals("POST")) {
                throw new ProblemException(AllowHeader.refuse(response, "POST"));
            }
            InboundWebhook webhook = lookUp(request, response).webhook();
            throttle(limiter.throttleRequest(webhook, request.getRemoteAddr()), response);
            request.setAttribute(BodyReadLimiter.WEBHOOK, webhook.id().toString());
            byte[] body = json.readBytes(request, WebhookSettings.MAX_BODY_BYTES);
            deliver(request, response, webhook.tenant(), body);
            response.setStatus(HttpServletResponse.SC_ACCEPTED);
        } catch (ProblemException e) {
            write(response, e.problem());
        } catch (StoreUnavailableException e) {
            write(
                    response,
                    Problem.of(
                            ProblemType.UNAVAILABLE,
                            "the database does not answer, and the delivery was not accepted; send it again shortly"));
        } catch (RuntimeException e) {
            // Not left to the server's error page, which names the path.
            write(response, Problem.ofInternalError(e));
        }
    }

    /** Looks up a token that may be a guess. */
    private AcceptingWebhook lookUp(HttpServletRequest request, HttpServletResponse response) {
        Runnable release = limiter.acquireLookup(request.getRemoteAddr());
        try {
            return findAccepting(request, response);
        } finally {
            release.run();
        }
    }

    private AcceptingWebhook findAccepting(HttpServletRequest request, HttpServletResponse response) {
        @Nullable String info = request.getPathInfo();
        String token = info == null ? "" : info.substring(1);
        Optional<AcceptingWebhook> found = deliveries.findAccepting(token);
        if (found.isPresent()) {
            return found.get();
        }
        Optional<Duration> pause = loginLimiter.recordFailure(request, token);
        ProblemType type = pause.isPresent() ? ProblemType.RATE_LIMITED : ProblemType.NOT_FOUND;
        auditRecorder.auditRejection(request, "inbound-webhook.deliver", type.status());
        pause.ifPresent(time -> response.setHeader("Retry-After", Long.toString(time.toSeconds() + 1)));
        throw new ProblemException(
                type,
                pause.isPresent()
                        ? "too many unknown addresses; a valid one is accepted at any time"
                        : "there is nothing at this path");
    }

    private static void throttle(Optional<Duration> pause, HttpServletResponse response) {
        if (pause.isPresent()) {
            response.setHeader("Retry-After", Long.toString(pause.get().toSeconds() + 1));
            throw new ProblemException(ProblemType.RATE_LIMITED, "too many deliveries to this address; wait");
        }
    }

    private void deliver(HttpServletRequest request, HttpServletResponse response, String tenant, byte[] body) {
        Runnable release = limiter.acquire(tenant);
        try {
            // Again, because the webhook or the key of its creator may have lost its rights while the body arrived.
            deliver(request, response, findAccepting(request, response), body);
        } finally {
            release.run();
        }
    }

    private void deliver(
            HttpServletRequest request, HttpServletResponse response, AcceptingWebhook accepting, byte[] body) {
        InboundWebhook webhook = accepting.webhook();
        @Nullable String deliveryId = request.getHeader(webhook.deliveryHeader());
        if (deliveryId != null && !DELIVERY_ID.matcher(deliveryId).matches()) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "the id of the delivery must be 1 to 200 visible ASCII characters");
        }
        @Nullable String signature = webhook.signature()
                .map(required -> request.getHeader(required.header()))
                .orElse(null);
        WebhookDelivery delivery = deliveries.verify(accepting, body, signature, Optional.ofNullable(deliveryId));
        throttle(limiter.throttleDelivery(webhook), response);
        deliveries.deliver(delivery);
    }

    /**
     * The problem does not name the path, because the path is a secret. A sender is not asked to repeat a delivery that
     * may have had its effect: without an id, the repetition would have a second one.
     */
    private static void write(HttpServletResponse response, Problem problem) throws IOException {
        boolean retryable = RETRYABLE.contains(problem.type()) && !OutcomeProblems.mayHaveTakenEffect(problem);
        if (retryable && !response.containsHeader("Retry-After")) {
            response.setHeader("Retry-After", "2");
        }
        ProblemWriter.write(response, problem, AuthenticationFilter.WEBHOOKS);
    }
}
