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
public class PatientFilter extends HttpFilter {
    private static final long serialVersionUID = 1;

    @Inject
    transient Deliveries deliveries;

    @Inject
    transient Bodies bodies;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HeldAnswer answer = new HeldAnswer(response);
        PatientRequest patient = new PatientRequest(request, answer, deliveries, bodies);
        chain.doFilter(patient, answer);
        if (!patient.isLater()) {
            Optional<byte[]> rest = Deliveries.sendNow(answer);
            if (rest.isPresent()) {
                AsyncContext context = request.startAsync(request, response);
                context.setTimeout(0);
                deliveries.deliver(context, response.getOutputStream(), rest.get());
            }
        }
    }
}
