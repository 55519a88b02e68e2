package org.sallyport.web.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The headers of a request that may hold an API key or a token. */
final class CredentialHeaders {
    private static final String BEARER = "Bearer ";

    private CredentialHeaders() {}

    /** Returns the key or token of a request. {@code Authorization} takes precedence, even if it has no bearer. */
    static Optional<String> secret(HttpServletRequest request) {
        return request.getHeader("Authorization") != null
                ? bearer(request)
                : Optional.ofNullable(request.getHeader("X-API-Key"));
    }

    /**
     * Returns the bearer token of the header. Tokens in the query are not accepted, because queries end up in logs and
     * histories.
     */
    static Optional<String> bearer(HttpServletRequest request) {
        @Nullable String authorization = request.getHeader("Authorization");
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(authorization.substring(BEARER.length()).strip())
                : Optional.empty();
    }
}
