package org.sallyport.web.login;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The cookie of a browser during the login at an OpenID provider. It is {@code Lax}, because the provider redirects
 * back from another site and browsers send no {@code Strict} cookie with that request. It is useless without the
 * matching authorization response.
 */
final class LoginCookie {
    private static final Duration MAX_AGE = Duration.ofMinutes(10);
    private static final String NAME = "sallyport-login";
    /** No other host of the domain can set a cookie with this prefix (RFC 6265bis, 4.1.3.2). */
    private static final String SECURE_NAME = "__Host-" + NAME;

    private LoginCookie() {}

    /** The value of the cookie; empty if there is none. */
    static String read(HttpServletRequest request, boolean secure) {
        Cookie @Nullable [] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(secure ? SECURE_NAME : NAME)) {
                    return cookie.getValue();
                }
            }
        }
        return "";
    }

    static String set(String ticket, boolean secure) {
        return cookie(ticket, secure, MAX_AGE);
    }

    static String clear(boolean secure) {
        return cookie("", secure, Duration.ZERO);
    }

    private static String cookie(String value, boolean secure, Duration lasting) {
        return (secure ? SECURE_NAME + "=" + value + "; Path=/; Secure" : NAME + "=" + value + "; Path=/console/oidc")
                + "; HttpOnly; SameSite=Lax; Max-Age=" + lasting.toSeconds();
    }
}
