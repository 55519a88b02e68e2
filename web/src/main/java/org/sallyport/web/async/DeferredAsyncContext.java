package org.sallyport.web.async;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The context of a request that is answered later. {@code complete()} sends the buffered response first and completes
 * the request after that. Thread-safe.
 */
final class DeferredAsyncContext implements AsyncContext {
    private final AsyncContext context;
    private final BufferedResponse answer;
    private final AsyncResponses responses;
    private final AtomicBoolean complete = new AtomicBoolean();

    DeferredAsyncContext(AsyncContext context, BufferedResponse answer, AsyncResponses deliveries) {
        this.context = context;
        this.answer = answer;
        this.responses = deliveries;
    }

    @Override
    public void complete() {
        if (answer.isStream() || !complete.compareAndSet(false, true)) {
            context.complete();
        } else {
            responses.deliver(context, answer);
        }
    }

    @Override
    public ServletRequest getRequest() {
        return context.getRequest();
    }

    @Override
    public ServletResponse getResponse() {
        return context.getResponse();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return false;
    }

    @Override
    public void dispatch() {
        context.dispatch();
    }

    @Override
    public void dispatch(String path) {
        context.dispatch(path);
    }

    @Override
    public void dispatch(ServletContext of, String path) {
        context.dispatch(of, path);
    }

    @Override
    public void start(Runnable task) {
        context.start(task);
    }

    @Override
    public void addListener(AsyncListener listener) {
        context.addListener(listener);
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        context.addListener(listener, request, response);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return context.createListener(type);
    }

    @Override
    public void setTimeout(long millis) {
        context.setTimeout(millis);
    }

    @Override
    public long getTimeout() {
        return context.getTimeout();
    }
}
