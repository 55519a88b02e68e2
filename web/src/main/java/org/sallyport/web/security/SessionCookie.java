package org.sallyport.web.security;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The cookie that holds the token of a console session. No script can read it, and no other site can have it sent. */
public final class SessionCookie {
    private static final String NAME = "sallyport-session";

    private SessionCookie() {}

    /** The token that a request brings. */
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

    /** The value of {@code Set-Cookie} that has a browser keep a token for so long. */
    public static String set(HttpServletRequest request, String token, Duration lasting) {
        return set(isSecure(request), token, lasting);
    }

    /** The same for who knows whether the browser speaks TLS: a request that another site began does not tell. */
    public static String set(boolean secure, String token, Duration lasting) {
        return NAME + "=" + token + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + lasting.toSeconds()
                + (secure ? "; Secure" : "");
    }

    /** The browser knows whether it speaks TLS, also where that ends before this service. */
    private static boolean isSecure(HttpServletRequest request) {
        @Nullable String origin = request.getHeader("Origin");
        return request.isSecure() || origin != null && origin.startsWith("https://");
    }

    /** The value of {@code Set-Cookie} that has a browser forget it. */
    public static String clear(HttpServletRequest request) {
        return set(request, "", Duration.ZERO);
    }
}
