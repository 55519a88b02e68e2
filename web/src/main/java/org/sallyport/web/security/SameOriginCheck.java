package org.sallyport.web.security;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Accepts requests that a browser authenticates by itself (by cookie or certificate) only if a page of this service
 * made them.
 */
public final class SameOriginCheck {
    /**
     * The header that only a page of this service can send, because only such a page can read the CSRF token of the
     * session.
     */
    public static final String CSRF_HEADER = "X-Sallyport-CSRF";

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");
    /** {@code none}: the user typed the address. */
    private static final Set<String> ALLOWED_FETCH_SITES = Set.of("same-origin", "none");

    private SameOriginCheck() {}

    /**
     * Refuses a request of another origin, and a request that may change state without the session's CSRF token.
     *
     * @throws ProblemException if the request is refused
     */
    public static void check(HttpServletRequest request, ConsoleSessions.ConsoleSession session) {
        check(request);
        @Nullable String guard = request.getHeader(CSRF_HEADER);
        if (mayChangeState(request) && (guard == null || !session.matchesCsrfToken(guard))) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "a session request that may change something must carry " + CSRF_HEADER
                            + ", as returned by /console/session");
        }
    }

    /** An event stream that is read with {@code GET} cancels its execution when it is closed, if it asks for that. */
    private static boolean mayChangeState(HttpServletRequest request) {
        return !SAFE_METHODS.contains(request.getMethod()) || request.getParameterValues("cancelOnClose") != null;
    }

    /**
     * Refuses a request of another origin.
     *
     * @throws ProblemException if the request is refused
     */
    public static void check(HttpServletRequest request) {
        @Nullable String site = request.getHeader("Sec-Fetch-Site");
        @Nullable String origin = request.getHeader("Origin");
        if (site != null && !ALLOWED_FETCH_SITES.contains(site.toLowerCase(Locale.ROOT))
                || origin != null && !isSameOrigin(request, origin)) {
            throw new ProblemException(ProblemType.FORBIDDEN, "pages of another origin cannot use a session");
        }
    }

    /** Compares the authority only: the service cannot know whether TLS ends before it. */
    private static boolean isSameOrigin(HttpServletRequest request, String origin) {
        @Nullable String host = request.getHeader("Host");
        try {
            @Nullable String authority = URI.create(origin).getRawAuthority();
            return host != null && authority != null && authority.equalsIgnoreCase(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
