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
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Keys;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/**
 * Nothing of the application is reached without a valid key, whether it exists or not. A servlet filter rather than a
 * filter of the REST layer, so that it also stands before what is not REST.
 */
@WebFilter(
        filterName = "authentication",
        urlPatterns = "/*",
        asyncSupported = true,
        dispatcherTypes = DispatcherType.REQUEST)
public class AuthenticationFilter extends HttpFilter {
    /** The request attribute that holds the {@link Caller}. */
    public static final String CALLER = "org.sallyport.caller";

    private static final long serialVersionUID = 1;
    private static final Set<String> OPEN = Set.of("/health", "/health/live", "/health/ready", "/health/started");
    private static final String BEARER = "Bearer ";

    @Inject
    transient Keys keys;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        if (OPEN.contains(request.getRequestURI()) && secret(request).isEmpty()) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Caller> caller;
        try {
            caller = secret(request).flatMap(keys::authenticate);
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            answer(
                    response,
                    Problem.of(
                            ProblemType.UNAVAILABLE,
                            "the database does not answer; nothing was changed, try again shortly"));
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"sallyport\"");
            answer(
                    response,
                    Problem.of(
                            ProblemType.UNAUTHORIZED,
                            "send a valid key as 'Authorization: Bearer sp_…'; the first start wrote one to admin.key in the data"
                                    + " directory"));
            return;
        }
        request.setAttribute(CALLER, caller.get());
        chain.doFilter(request, response);
    }

    private static Optional<String> secret(HttpServletRequest request) {
        @Nullable String authorization = request.getHeader("Authorization");
        if (authorization != null) {
            return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    ? Optional.of(authorization.substring(BEARER.length()).strip())
                    : Optional.empty();
        }
        return Optional.ofNullable(request.getHeader("X-API-Key"));
    }

    private static void answer(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = problem.body(null);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
