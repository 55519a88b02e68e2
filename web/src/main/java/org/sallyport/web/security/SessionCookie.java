package org.sallyport.web.security;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cookie that holds the token of a console session. No script can read it, and no request from another site carries
 * it.
 */
public final class SessionCookie {
    private static final String NAME = "sallyport-session";

    private SessionCookie() {}

    /** The token of the request; empty if there is none. */
    public static Optional<String> readToken(HttpServletRequest request) {
        Cookie @Nullable [] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(NAME)) {
                    return Optional.of(cookie.getValue());
                }
            }
        }
        return Optional.empty();
    }

    /** The {@code Set-Cookie} value that makes the browser keep the token for {@code lasting}. */
    public static String set(HttpServletRequest request, String token, Duration lasting) {
        return set(isSecure(request), token, lasting);
    }

    /**
     * Same as {@link #set(HttpServletRequest, String, Duration)}, for callers that know whether the browser uses TLS. A
     * request that another site started does not show that.
     */
    public static String set(boolean secure, String token, Duration lasting) {
        return NAME + "=" + token + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + lasting.toSeconds()
                + (secure ? "; Secure" : "");
    }

    /** Whether the browser uses TLS. The browser knows it even where TLS ends before this service. */
    private static boolean isSecure(HttpServletRequest request) {
        @Nullable String origin = request.getHeader("Origin");
        return request.isSecure() || origin != null && origin.startsWith("https://");
    }

    /** The {@code Set-Cookie} value that makes the browser delete the cookie. */
    public static String clear(HttpServletRequest request) {
        return set(request, "", Duration.ZERO);
    }
}
