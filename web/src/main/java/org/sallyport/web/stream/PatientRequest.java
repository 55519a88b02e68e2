package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request whose body is waited for no longer than is fair, and whose answer is held if it comes later. */
final class PatientRequest extends HttpServletRequestWrapper {
    private final HttpServletRequest request;
    private final HeldAnswer answer;
    private final Deliveries deliveries;
    private final Bodies bodies;
    private volatile @Nullable HeldContext context;
    private @Nullable PatientInput input;

    PatientRequest(HttpServletRequest request, HeldAnswer answer, Deliveries deliveries, Bodies bodies) {
        super(request);
        this.request = request;
        this.answer = answer;
        this.deliveries = deliveries;
        this.bodies = bodies;
    }

    /** Whether it is answered later. */
    boolean isLater() {
        return context != null;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        PatientInput known = input;
        if (known == null) {
            known = new PatientInput(request, answer.response(), request.getInputStream(), bodies);
            input = known;
        }
        return known;
    }

    @Override
    public AsyncContext startAsync() {
        return startAsync(this, answer);
    }

    @Override
    public AsyncContext startAsync(ServletRequest of, ServletResponse to) {
        HeldContext started = new HeldContext(super.startAsync(of, to), answer, deliveries);
        context = started;
        return started;
    }

    @Override
    public AsyncContext getAsyncContext() {
        HeldContext started = context;
        return started == null ? super.getAsyncContext() : started;
    }
}
