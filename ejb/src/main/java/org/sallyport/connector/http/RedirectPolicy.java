package org.sallyport.connector.http;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import org.sallyport.connector.http.GuardedHttpClient.GuardedHttpResponse;

/**
 * Decides which redirects are followed: those of requests without effect and body to each allowed host, and those of
 * other requests within their origin, if the status says that method and body are repeated.
 *
 * @param guard checks each target
 */
record RedirectPolicy(EgressGuard guard) {
    private static final int MAX_REDIRECTS = 5;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    /** Redirects that repeat the method and the body. */
    private static final Set<Integer> REPEATING_REDIRECTS = Set.of(307, 308);

    /**
     * A request that was answered with a redirect.
     *
     * @param safe whether the request has no effect and no body
     * @param first URL of the first request
     * @param uri URL of the last request
     * @param followed number of redirects before this one
     */
    record RedirectedRequest(String method, boolean safe, URI first, URI uri, int followed) {}

    /** The server answered with a redirect that is not followed. */
    static final class RedirectNotFollowedException extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient GuardedHttpResponse response;

        RedirectNotFollowedException(String reason, GuardedHttpResponse response) {
            super(reason);
            this.response = response;
        }

        private RedirectNotFollowedException(EgressDeniedException denied, GuardedHttpResponse response) {
            super(String.valueOf(denied.getMessage()), denied);
            this.response = response;
        }

        /** Whether nothing happened, because the egress guard refused the target. */
        boolean denied() {
            return getCause() instanceof EgressDeniedException;
        }

        GuardedHttpResponse response() {
            return response;
        }
    }

    /** An empty location would be that of the parent of the path, which the server did not mean. */
    static boolean isRedirect(GuardedHttpResponse response) {
        return REDIRECTS.contains(response.status())
                && !response.header("location").orElse("").isBlank();
    }

    /**
     * Returns where the request is sent next; throws {@link RedirectNotFollowedException} if the redirect is not
     * followed.
     */
    URI target(RedirectedRequest request, GuardedHttpResponse response) throws RedirectNotFollowedException {
        if (request.followed() == MAX_REDIRECTS) {
            throw new RedirectNotFollowedException("it was redirected more than " + MAX_REDIRECTS + " times", response);
        }
        if (!request.safe() && !REPEATING_REDIRECTS.contains(response.status())) {
            // In practice, 302 and 303 are the answer of a server that did what was asked.
            throw new RedirectNotFollowedException(
                    request.method() + " follows only redirects with status 307 and 308; it may have had its effect",
                    response);
        }
        URI target = allowedTarget(request, response);
        if (!request.safe() && !sameOrigin(request.first(), target)) {
            throw new RedirectNotFollowedException(
                    "a request with an effect or a body does not follow a redirect to another origin", response);
        }
        return target;
    }

    private URI allowedTarget(RedirectedRequest request, GuardedHttpResponse response)
            throws RedirectNotFollowedException {
        try {
            return guard.parseAllowed(UrlParser.resolveLocation(
                            request.uri(), response.header("location").orElse(""))
                    .toString());
        } catch (URISyntaxException e) {
            throw new RedirectNotFollowedException("the location is no URL", response);
        } catch (EgressDeniedException e) {
            throw denied(request.safe(), e, response);
        }
    }

    /**
     * Returns the exception for a target that the guard does not allow. Only for a request without effect it counts as
     * denied, which says that nothing happened.
     */
    static RedirectNotFollowedException denied(
            boolean safe, EgressDeniedException reason, GuardedHttpResponse response) {
        return safe
                ? new RedirectNotFollowedException(reason, response)
                : new RedirectNotFollowedException(String.valueOf(reason.getMessage()), response);
    }

    static boolean sameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && port(one) == port(other);
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    }
}
