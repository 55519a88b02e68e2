package org.sallyport.web.security;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Sessions;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Requests that a browser makes by itself, with its cookie, count only when a page of this service had it make them. */
public final class SameOrigin {
    /** The header that only such a page can send, since only it can read the session's guard. */
    public static final String GUARD = "X-Sallyport-CSRF";

    private static final Set<String> LOOKING = Set.of("GET", "HEAD");
    /** {@code none}: somebody typed the address. */
    private static final Set<String> OWN = Set.of("same-origin", "none");

    private SameOrigin() {}

    /** Refuses a request of another origin, and one that may change something without the session's guard. */
    public static void check(HttpServletRequest request, Sessions.Session session) {
        check(request);
        @Nullable String guard = request.getHeader(GUARD);
        if (!LOOKING.contains(request.getMethod()) && (guard == null || !session.guardedBy(guard))) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "with a session a request that may change something must carry " + GUARD
                            + ", as /console/session gives it");
        }
    }

    /** Refuses a request of another origin. */
    public static void check(HttpServletRequest request) {
        @Nullable String site = request.getHeader("Sec-Fetch-Site");
        @Nullable String origin = request.getHeader("Origin");
        if (site != null && !OWN.contains(site.toLowerCase(Locale.ROOT)) || origin != null && !isOwn(request, origin)) {
            throw new ProblemException(ProblemType.FORBIDDEN, "a session is not for pages of another origin");
        }
    }

    /** By authority alone: whether TLS ends before this service, it cannot know. */
    private static boolean isOwn(HttpServletRequest request, String origin) {
        @Nullable String host = request.getHeader("Host");
        try {
            @Nullable String authority = URI.create(origin).getRawAuthority();
            return host != null && authority != null && authority.equalsIgnoreCase(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
