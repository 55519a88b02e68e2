package org.sallyport.callback;

import java.util.Optional;
import org.sallyport.connector.http.WebhookClient;

/** Decides whether a URL may receive callbacks. Thread-safe. */
public final class CallbackUrlPolicy {
    private final WebhookClient webhookClient;
    private final CallbackSigner signer;

    public CallbackUrlPolicy(WebhookClient posts, CallbackSigner signatures) {
        this.webhookClient = posts;
        this.signer = signatures;
    }

    /** Returns why an execution of the tenant may not have the callback {@code url}; empty when it may. */
    public Optional<String> validationError(String tenant, String url) {
        return webhookClient
                .findUrlProblem(url)
                .or(() -> signer.hasSecret(tenant)
                        ? Optional.empty()
                        : Optional.of("cannot be signed: the tenant has no signing secret; an administrator makes "
                                + "one with POST /api/v1/callbacks/secret"));
    }
}
