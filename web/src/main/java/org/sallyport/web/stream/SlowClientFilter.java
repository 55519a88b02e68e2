package org.sallyport.web.stream;

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
 * Has no thread wait for a client who reads slowly, and few, not for long, for one who sends slowly. Stands before all other
 * filters, by {@code web.xml}, since what they answer is read, or not, by strangers.
 */
public class SlowClientFilter extends HttpFilter {
    private static final long serialVersionUID = 1;

    @Inject
    transient AsyncResponses asyncResponses;

    @Inject
    transient BodyReadLimiter bodyReadLimiter;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        BufferedResponse answer = new BufferedResponse(response);
        SlowClientRequest patient = new SlowClientRequest(request, answer, asyncResponses, bodyReadLimiter);
        chain.doFilter(patient, answer);
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
