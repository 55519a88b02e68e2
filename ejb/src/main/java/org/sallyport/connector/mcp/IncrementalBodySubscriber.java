package org.sallyport.connector.mcp;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Passes a body on as it arrives. The rest is not read when its listener needs no more. */
final class IncrementalBodySubscriber implements HttpResponse.BodySubscriber<Void> {
    private final BodyListener listener;
    private final CompletableFuture<Void> body = new CompletableFuture<>();
    private volatile Flow.@Nullable Subscription subscription;

    /** Receives the pieces of a body in their order. */
    interface BodyListener {
        /** @return whether the listener needs more */
        boolean onPiece(ByteBuffer piece);

        /** The body ended after its last byte. */
        default void onEnd() {
            // The listener needs the pieces alone.
        }
    }

    IncrementalBodySubscriber(BodyListener listener) {
        this.listener = listener;
    }

    /** Ends the body after a time at the latest, with what has arrived until then. */
    IncrementalBodySubscriber endAfter(Duration time) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        body.whenComplete((done, failure) -> end.cancel(false));
        end.completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS).thenRun(this::cut);
        return this;
    }

    private void cut() {
        Flow.Subscription open = subscription;
        if (body.complete(null) && open != null) {
            open.cancel();
        }
    }

    @Override
    public CompletionStage<Void> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
        Flow.Subscription open = subscription;
        if (open == null || body.isDone()) {
            return;
        }
        try {
            for (ByteBuffer piece : pieces) {
                if (!listener.onPiece(piece)) {
                    open.cancel();
                    body.complete(null);
                    return;
                }
            }
        } catch (RuntimeException e) {
            open.cancel();
            body.completeExceptionally(e);
            return;
        }
        open.request(1);
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        try {
            listener.onEnd();
            body.complete(null);
        } catch (RuntimeException e) {
            body.completeExceptionally(e);
        }
    }
}
