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
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceHeaders;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;

/**
 * Rejects every request without a valid API key, console session, token or client certificate, whether or not the path
 * exists. Exempt are the console's files, the session endpoint (used to log in), the approval-link endpoint
 * (authenticated by the secret of a link) and the addresses of inbound webhooks (authenticated by their token), and
 * {@code OPTIONS} of the paths of the API, which answers with their methods. Bodies in a content coding are rejected.
 * It is a servlet filter, not a filter of the REST layer, so that it also protects paths outside REST.
 */
@WebFilter(
        filterName = "authentication",
        urlPatterns = "/*",
        asyncSupported = true,
        dispatcherTypes = DispatcherType.REQUEST)
public class AuthenticationFilter extends HttpFilter {
    /** The request attribute that holds the {@link Caller}. */
    public static final String CALLER = "org.sallyport.caller";

    /** The request attribute that is present if the caller belongs to the tenant that operates the installation. */
    public static final String OPERATOR_TENANT = "org.sallyport.operates";

    private static final long serialVersionUID = 1;
    private static final Set<String> PUBLIC_PATHS =
            Set.of("/health", "/health/live", "/health/ready", "/health/started");
    /** Accepts plain names only, so that the exemption cannot be used to reach any other path. */
    private static final Pattern CONSOLE_PATH = Pattern.compile("/console(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*+)*+/?");

    private static final int MAX_CONSOLE_PATH_LENGTH = 500;
    /** Path of inbound webhooks, which authenticate their deliveries themselves. */
    public static final String WEBHOOKS = "/hooks";

    private static final Pattern WEBHOOK_PATH = Pattern.compile(WEBHOOKS + "/[A-Za-z0-9_-]{1,100}+");

    private static final String REST_PREFIX = "/api/v1/";
    /** Paths beside the REST API whose servlets answer {@code OPTIONS} without running an operation. */
    private static final Set<String> ENDPOINTS = Set.of("/mcp", "/openapi", "/metrics");

    private static final String AUDIT_ACTION = "api-key.use";

    @Inject
    transient ApiKeyService keys;

    @Inject
    transient KeyUseTracker uses;

    @Inject
    transient ConsoleSessions sessions;

    @Inject
    transient BearerTokenAuthenticator tokenAuthenticator;

    @Inject
    transient CertificateAuthenticator certificateAuthenticator;

    @Inject
    transient FailedLoginLimiter loginLimiter;

    @Inject
    transient RejectionRecorder rejections;

    @Inject
    transient RequestRateLimiter rateLimiter;

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
        certificateAuthenticator.addHstsHeader(response);
        if (certificateAuthenticator.violatesTlsMode(request)) {
            respond(response, Problem.of(ProblemType.FORBIDDEN, "this service accepts only TLS connections"));
            return;
        }
        if (ContentCodingCheck.isEncoded(request)) {
            response.setHeader("Accept-Encoding", ContentCodingCheck.IDENTITY);
            respond(
                    response,
                    Problem.of(
                            ProblemType.UNSUPPORTED_MEDIA_TYPE,
                            "the body has a content coding, such as gzip; send it without 'Content-Encoding'"));
            return;
        }
        if (isPublic(request) || asksForMethods(request)) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Caller> caller;
        Optional<Duration> pause;
        try {
            Optional<String> token = CredentialHeaders.bearer(request).filter(tokenAuthenticator::mayBeToken);
            if (token.isPresent()) {
                BearerTokenAuthenticator.BearerTokenResult outcome =
                        tokenAuthenticator.authenticate(request, token.get());
                caller = outcome.caller();
                pause = outcome.guessed() ? loginLimiter.recordFailure(request, token.get()) : Optional.empty();
            } else {
                caller = caller(request);
                pause = caller.isPresent() ? Optional.empty() : recordFailure(request);
            }
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            respond(
                    response,
                    Problem.of(
                            ProblemType.UNAVAILABLE,
                            "the database does not answer; nothing was changed, try again shortly"));
            return;
        } catch (ProblemException e) {
            if (e.problem().type() == ProblemType.UNAVAILABLE) {
                response.setHeader("Retry-After", "2");
            }
            respond(response, e.problem());
            return;
        }
        if (pause.isPresent()) {
            response.setHeader("Retry-After", Long.toString(pause.get().toSeconds() + 1));
            respond(
                    response,
                    Problem.of(
                            ProblemType.RATE_LIMITED,
                            "too many wrong keys or tokens; a valid one is accepted at any time"));
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"sallyport\"");
            respond(
                    response,
                    Problem.of(
                            ProblemType.UNAUTHORIZED,
                            "send a valid key as 'Authorization: Bearer sp_…', or a token of a configured issuer; the"
                                    + " first start wrote a key to admin.key in the data directory"));
            return;
        }
        Optional<Duration> rest = rateLimiter.throttle(caller.get().id());
        if (rest.isPresent()) {
            response.setHeader("Retry-After", Long.toString(rest.get().toSeconds() + 1));
            respond(
                    response,
                    Problem.of(
                            ProblemType.RATE_LIMITED,
                            "this key sends more than " + rateLimiter.perSecond() + " requests a second (the server's "
                                    + LimitSettings.REQUESTS_PER_SECOND.name() + "); wait, and send less often"));
            return;
        }
        if (caller.get().token().isEmpty()) {
            uses.recordUse(caller.get().id());
        }
        request.setAttribute(CALLER, withTraceContext(request, caller.get()));
        if (caller.get().tenant().equals(configuration.get(Settings.OPERATOR_TENANT))) {
            request.setAttribute(OPERATOR_TENANT, true);
        }
        chain.doFilter(request, response);
    }

    /**
     * Adds the trace context of the request. More than one {@code traceparent} counts as none; several
     * {@code tracestate} headers form one list.
     */
    private static Caller withTraceContext(HttpServletRequest request, Caller caller) {
        Enumeration<String> parents = request.getHeaders(TraceHeaders.TRACEPARENT);
        if (!parents.hasMoreElements()) {
            return caller;
        }
        String parent = parents.nextElement();
        String states = String.join(",", Collections.list(request.getHeaders(TraceHeaders.TRACESTATE)));
        return parents.hasMoreElements()
                ? caller
                : TraceContext.of(parent, states).map(caller::withTrace).orElse(caller);
    }

    /**
     * Whether the path needs no authentication: the console's files hold no secret, and the session endpoint and
     * inbound webhooks authenticate requests themselves.
     */
    private static boolean isPublic(HttpServletRequest request) {
        String path = request.getRequestURI();
        return PUBLIC_PATHS.contains(path) && CredentialHeaders.secret(request).isEmpty()
                || path.length() <= MAX_CONSOLE_PATH_LENGTH
                        && (CONSOLE_PATH.matcher(path).matches()
                                || WEBHOOK_PATH.matcher(path).matches());
    }

    /** Whether the request asks for the methods of a path of the API. Such a request runs no operation. */
    private static boolean asksForMethods(HttpServletRequest request) {
        String path = request.getRequestURI();
        return request.getMethod().equals("OPTIONS") && (path.startsWith(REST_PREFIX) || ENDPOINTS.contains(path));
    }

    /**
     * Authenticates the request. A key takes precedence over a cookie and a certificate, because a browser sends those
     * two for requests of any page.
     */
    private Optional<Caller> caller(HttpServletRequest request) {
        Optional<String> secret = CredentialHeaders.secret(request);
        if (secret.isPresent() || request.getHeader("Authorization") != null) {
            return secret.flatMap(keys::authenticate);
        }
        return SessionCookie.readToken(request)
                .flatMap(sessions::find)
                .map(session -> {
                    SameOriginCheck.check(request, session);
                    return session.caller();
                })
                .or(() -> certificateAuthenticator.authenticate(request));
    }

    /**
     * Counts and audits a wrong key; returns for how long the client must not try another one, empty if it may. A key
     * that is stored but expired is no guess.
     */
    private Optional<Duration> recordFailure(HttpServletRequest request) {
        Optional<String> guess = CredentialHeaders.secret(request).filter(secret -> !keys.isStoredKey(secret));
        Optional<Duration> pause = guess.flatMap(secret -> loginLimiter.recordFailure(request, secret));
        if (guess.isPresent()) {
            ProblemType type = pause.isPresent() ? ProblemType.RATE_LIMITED : ProblemType.UNAUTHORIZED;
            rejections.recordRejection(request, RejectionRecorder.channel(request), AUDIT_ACTION, type.status());
        }
        return pause;
    }

    private static void respond(HttpServletResponse response, Problem problem) throws IOException {
        ProblemWriter.write(response, problem, null);
    }
}
