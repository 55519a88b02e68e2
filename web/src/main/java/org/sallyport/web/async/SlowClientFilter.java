package org.sallyport.web.async;

import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * Protects threads from slow clients, and memory from large bodies. No thread waits for a client that reads slowly, and
 * a bounded number of threads waits, for a bounded time, for clients that send slowly. {@code web.xml} places this
 * filter before all others, because unauthenticated clients also receive the responses of those filters.
 */
public class SlowClientFilter extends HttpFilter {
    private static final long serialVersionUID = 1;

    @Inject
    transient AsyncResponses asyncResponses;

    @Inject
    transient BodyReadLimiter bodyReadLimiter;

    @Inject
    transient RequestMemory requestMemory;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        BufferedResponse answer = new BufferedResponse(response);
        SlowClientRequest patient = new SlowClientRequest(request, answer, asyncResponses, bodyReadLimiter);
        Runnable end = requestMemory.begin(request);
        try {
            chain.doFilter(patient, answer);
        } finally {
            end.run();
        }
        if (!patient.isDeferred()) {
            Optional<byte[]> rest = AsyncResponses.sendNow(answer);
            if (rest.isPresent()) {
                AsyncContext context = request.startAsync(request, response);
                context.setTimeout(0);
                asyncResponses.deliver(context, response.getOutputStream(), rest.get());
            }
        }
    }
}
