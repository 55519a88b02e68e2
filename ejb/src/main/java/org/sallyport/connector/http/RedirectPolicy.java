package org.sallyport.connector.http;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
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

        GuardedHttpResponse response() {
            return response;
        }
    }

    static boolean isRedirect(GuardedHttpResponse response) {
        return REDIRECTS.contains(response.status())
                && response.header("location").isPresent();
    }

    /**
     * Returns where the request is sent next. Throws {@link RedirectNotFollowedException} if the redirect is not
     * followed, and {@link EgressDeniedException} if the guard does not allow the target of a request without effect.
     */
    URI target(RedirectedRequest request, GuardedHttpResponse response) throws RedirectNotFollowedException {
        if (request.followed() == MAX_REDIRECTS) {
            throw new RedirectNotFollowedException("it was redirected more than " + MAX_REDIRECTS + " times", response);
        }
        if (request.safe()) {
            return allowedTarget(request, response);
        }
        if (!REPEATING_REDIRECTS.contains(response.status())) {
            throw new RedirectNotFollowedException(
                    "of the redirects, " + request.method() + " follows only those with status 307 and 308", response);
        }
        try {
            return Optional.of(allowedTarget(request, response))
                    .filter(target -> sameOrigin(request.first(), target))
                    .orElseThrow(() -> new RedirectNotFollowedException(
                            request.method() + " does not follow a redirect to another origin", response));
        } catch (EgressDeniedException e) {
            throw new RedirectNotFollowedException(String.valueOf(e.getMessage()), response);
        }
    }

    private URI allowedTarget(RedirectedRequest request, GuardedHttpResponse response) {
        String location = response.header("location").orElse("");
        try {
            return guard.parseAllowed(UrlParser.resolve(request.uri(), location).toString());
        } catch (URISyntaxException e) {
            throw new EgressDeniedException("it was redirected to an invalid URL");
        }
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
