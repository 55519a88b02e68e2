package org.sallyport.web.security;

import jakarta.inject.Inject;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.KeyUses;
import org.sallyport.access.Keys;
import org.sallyport.access.Sessions;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceHeaders;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Nothing of the application is reached without a valid key, the session of one, a token or a certificate that counts, whether it exists or not,
 * but for the console's files and doors: the session's, which is for logging in, and the one that decides an approval by the secret of a
 * link. A servlet filter rather than a filter of the REST layer, so that it also stands before what is not REST.
 */
@WebFilter(
        filterName = "authentication",
        urlPatterns = "/*",
        asyncSupported = true,
        dispatcherTypes = DispatcherType.REQUEST)
public class AuthenticationFilter extends HttpFilter {
    /** The request attribute that holds the {@link Caller}. */
    public static final String CALLER = "org.sallyport.caller";

    /** The request attribute that is there when the caller is of the tenant that operates the installation. */
    public static final String OPERATES = "org.sallyport.operates";

    private static final long serialVersionUID = 1;
    private static final Set<String> OPEN = Set.of("/health", "/health/live", "/health/ready", "/health/started");
    /** Plain names only, so that it is no way around the lock for anything else. */
    private static final Pattern CONSOLE = Pattern.compile("/console(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*+)*+/?");

    private static final int LONGEST_CONSOLE_PATH = 500;

    private static final String BEARER = "Bearer ";

    @Inject
    transient Keys keys;

    @Inject
    transient KeyUses uses;

    @Inject
    transient Sessions sessions;

    @Inject
    transient TokenDoor tokens;

    @Inject
    transient CertificateDoor certificates;

    @Inject
    transient Brake brake;

    @Inject
    transient Rates rates;

    @Inject
    transient Configuration configuration;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        certificates.keepEncrypted(response);
        if (certificates.isAround(request)) {
            answer(response, Problem.of(ProblemType.FORBIDDEN, "this service is reached by TLS alone"));
            return;
        }
        if (open(request)) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Caller> caller;
        Optional<Duration> pause;
        try {
            Optional<String> token = bearer(request).filter(tokens::isFor);
            if (token.isPresent()) {
                TokenDoor.Outcome outcome = tokens.judge(request, token.get());
                caller = outcome.caller();
                pause = outcome.guessed() ? brake.wrong(request, token.get()) : Optional.empty();
            } else {
                caller = caller(request);
                pause = caller.isPresent() ? Optional.empty() : wrong(request);
            }
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            answer(
                    response,
                    Problem.of(
                            ProblemType.UNAVAILABLE,
                            "the database does not answer; nothing was changed, try again shortly"));
            return;
        } catch (ProblemException e) {
            if (e.problem().type() == ProblemType.UNAVAILABLE) {
                response.setHeader("Retry-After", "2");
            }
            answer(response, e.problem());
            return;
        }
        if (pause.isPresent()) {
            response.setHeader("Retry-After", Long.toString(pause.get().toSeconds() + 1));
            answer(
                    response,
                    Problem.of(
                            ProblemType.RATE_LIMITED,
                            "too many wrong keys or tokens; a right one is taken at any time"));
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"sallyport\"");
            answer(
                    response,
                    Problem.of(
                            ProblemType.UNAUTHORIZED,
                            "send a valid key as 'Authorization: Bearer sp_…', or a token of an issuer that is taken here; the"
                                    + " first start wrote a key to admin.key in the data directory"));
            return;
        }
        Optional<Duration> rest = rates.tooMany(caller.get().keyId());
        if (rest.isPresent()) {
            response.setHeader("Retry-After", Long.toString(rest.get().toSeconds() + 1));
            answer(
                    response,
                    Problem.of(
                            ProblemType.RATE_LIMITED,
                            "this key sends more than " + rates.perSecond() + " requests a second (the server's "
                                    + LimitSettings.REQUESTS.name() + "); wait, and send less often"));
            return;
        }
        if (caller.get().token().isEmpty()) {
            uses.used(caller.get().keyId());
        }
        request.setAttribute(CALLER, traced(request, caller.get()));
        if (caller.get().tenant().equals(configuration.get(Settings.OPERATING_TENANT))) {
            request.setAttribute(OPERATES, true);
        }
        chain.doFilter(request, response);
    }

    /** Two headers of the one name are none; those of the other are one list. */
    private static Caller traced(HttpServletRequest request, Caller caller) {
        Enumeration<String> parents = request.getHeaders(TraceHeaders.TRACEPARENT);
        if (!parents.hasMoreElements()) {
            return caller;
        }
        String parent = parents.nextElement();
        String states = String.join(",", Collections.list(request.getHeaders(TraceHeaders.TRACESTATE)));
        return parents.hasMoreElements()
                ? caller
                : TraceContext.of(parent, states).map(caller::in).orElse(caller);
    }

    /** The console's own files hold no secret, and its session has a door of its own. */
    private static boolean open(HttpServletRequest request) {
        String path = request.getRequestURI();
        return OPEN.contains(path) && secret(request).isEmpty()
                || path.length() <= LONGEST_CONSOLE_PATH
                        && CONSOLE.matcher(path).matches();
    }

    /** A key goes before a cookie and a certificate, which a browser sends whoever made the request. */
    private Optional<Caller> caller(HttpServletRequest request) {
        Optional<String> secret = secret(request);
        if (secret.isPresent() || request.getHeader("Authorization") != null) {
            return secret.flatMap(keys::authenticate);
        }
        return SessionCookie.of(request)
                .flatMap(sessions::find)
                .map(session -> {
                    SameOrigin.check(request, session);
                    return session.caller();
                })
                .or(() -> certificates.caller(request));
    }

    /** For how long whoever sent a wrong key is to send no other. */
    private Optional<Duration> wrong(HttpServletRequest request) {
        return secret(request).filter(secret -> !keys.isKnown(secret)).flatMap(secret -> brake.wrong(request, secret));
    }

    private static Optional<String> secret(HttpServletRequest request) {
        return request.getHeader("Authorization") != null
                ? bearer(request)
                : Optional.ofNullable(request.getHeader("X-API-Key"));
    }

    /** Never of a query, which ends up in logs and histories. */
    private static Optional<String> bearer(HttpServletRequest request) {
        @Nullable String authorization = request.getHeader("Authorization");
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(authorization.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    private static void answer(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = problem.body(null);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
