package org.sallyport.web.async;

import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

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
        ResponseBuffer buffer = asyncResponses.newBuffer(request);
        BufferedResponse answer = new BufferedResponse(request, response, buffer);
        SlowClientRequest patient = new SlowClientRequest(request, answer, asyncResponses, bodyReadLimiter);
        Runnable built = asyncResponses.begin(request, buffer);
        boolean handled = false;
        try {
            handle(patient, answer, chain);
            if (!patient.isDeferred() && !AsyncResponses.sendNow(answer)) {
                AsyncContext context = request.startAsync(request, response);
                context.setTimeout(0);
                asyncResponses.deliver(context, response.getOutputStream(), answer.complete());
            }
            handled = true;
        } finally {
            built.run();
            if (!handled) {
                answer.release();
            }
        }
    }

    private void handle(SlowClientRequest request, BufferedResponse answer, FilterChain chain)
            throws IOException, ServletException {
        Runnable end = requestMemory.begin(request);
        try {
            chain.doFilter(request, answer);
        } finally {
            end.run();
        }
    }
}
