package org.sallyport.web.async;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/**
 * Frees the memory of a response when its request ends, also when the container ends it, for example because the client
 * disconnected.
 */
final class ResponseRelease implements AsyncListener {
    private final BufferedResponse answer;

    ResponseRelease(BufferedResponse answer) {
        this.answer = answer;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        answer.release();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // The response to the timeout may follow.
    }

    @Override
    public void onError(AsyncEvent event) {
        // The response to the error may follow.
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // A request starts asynchronous processing only once.
    }
}
