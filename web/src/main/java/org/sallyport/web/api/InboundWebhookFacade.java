package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.WebhookSettings;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.secrets.SecretVault;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookToken;

/** Application service that creates inbound webhooks. Thread-safe. */
@ApplicationScoped
public class InboundWebhookFacade {
    private final InstantSource clock;
    private final SecureRandom random;
    private final ExecutionIdGenerator ids;

    @Inject
    InboundWebhookStore store;

    @Inject
    SecretVault vault;

    @Inject
    Configuration configuration;

    public InboundWebhookFacade() {
        this(InstantSource.system(), new SecureRandom());
    }

    InboundWebhookFacade(InstantSource clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
        this.ids = new ExecutionIdGenerator(clock, random);
    }

    /**
     * A webhook that was just created.
     *
     * @param token the token of its address, to be shown once
     */
    record IssuedWebhook(InboundWebhook webhook, String token) {}

    /**
     * Creates the webhook that {@code body} describes, in the name of the caller.
     *
     * @throws ProblemException if the body is invalid, the caller has no key that may submit, the secret of the
     *     signature is not stored, the name is taken, or the tenant has the maximum number of webhooks
     */
    IssuedWebhook create(Caller caller, JsonMembers body) {
        String token = InboundWebhookToken.generate(random);
        InboundWebhook webhook = InboundWebhookMapper.read(
                body,
                caller,
                ids.next().value(),
                InboundWebhookToken.hash(token),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
        requireSubmittingKey(caller);
        requireSecret(webhook);
        int maxWebhooks = configuration.getInt(WebhookSettings.MAX_PER_TENANT);
        switch (store.add(webhook, maxWebhooks)) {
            case NAME_TAKEN ->
                throw new ProblemException(
                        ProblemType.WEBHOOK_EXISTS,
                        "there is a webhook '" + RequestContexts.abbreviate(webhook.name())
                                + "'; choose another name, or delete that webhook first");
            case TOO_MANY ->
                throw new ProblemException(Problem.of(
                        ProblemType.TOO_MANY_WEBHOOKS,
                        "there are " + maxWebhooks + " webhooks, which is the limit; delete one first (setting "
                                + WebhookSettings.MAX_PER_TENANT.name() + ")",
                        members -> members.put("limit", maxWebhooks)));
            case ADDED -> {}
        }
        return new IssuedWebhook(webhook, token);
    }

    /** A webhook acts later in the name of its creator, so the creator must be a key that may submit. */
    private static void requireSubmittingKey(Caller caller) {
        if (caller.token().isPresent()) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "a webhook acts with the rights of an API key; a token or certificate identifies the caller of"
                            + " one request only; send a key");
        } else if (!WebhookDeliveryFacade.maySubmit(caller)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN, "a webhook submits in the name of your key, which needs the role submitter");
        }
    }

    private void requireSecret(InboundWebhook webhook) {
        webhook.signature()
                .filter(signature ->
                        vault.find(webhook.tenant(), signature.secret()).isEmpty())
                .ifPresent(signature -> {
                    throw new ProblemException(
                            ProblemType.VALIDATION,
                            "'signature.secret' names no secret of the tenant; store it first: sallyport secrets set"
                                    + " NAME");
                });
    }
}
