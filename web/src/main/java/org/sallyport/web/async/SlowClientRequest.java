package org.sallyport.web.async;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request whose body reads are limited in time, and whose response is buffered if it is completed asynchronously. */
final class SlowClientRequest extends HttpServletRequestWrapper {
    private final HttpServletRequest request;
    private final BufferedResponse answer;
    private final AsyncResponses responses;
    private final BodyReadLimiter bodyReadLimiter;
    private volatile @Nullable DeferredAsyncContext context;
    private @Nullable ServletInputStream input;

    SlowClientRequest(
            HttpServletRequest request, BufferedResponse answer, AsyncResponses deliveries, BodyReadLimiter bodies) {
        super(request);
        this.request = request;
        this.answer = answer;
        this.responses = deliveries;
        this.bodyReadLimiter = bodies;
    }

    /** Whether the request is answered asynchronously. */
    boolean isDeferred() {
        return context != null;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        ServletInputStream known = input;
        if (known == null) {
            ServletInputStream bounded =
                    new BoundedWaitInputStream(request, answer.response(), request.getInputStream(), bodyReadLimiter);
            known = request.getHeader("Upgrade") == null ? bounded : UpgradeRequestInputStream.of(request, bounded);
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
        AsyncContext container = super.startAsync(of, to);
        container.addListener(new ResponseRelease(answer));
        DeferredAsyncContext started = new DeferredAsyncContext(container, answer, responses);
        context = started;
        return started;
    }

    @Override
    public AsyncContext getAsyncContext() {
        DeferredAsyncContext started = context;
        return started == null ? super.getAsyncContext() : started;
    }
}
