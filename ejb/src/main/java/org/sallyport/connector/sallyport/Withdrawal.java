package org.sallyport.connector.sallyport;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.http.Origin;
import org.sallyport.tool.CallId;

/** Ends there what a call that nobody waits for has made, if it has made anything. Whoever asked does not wait for it. */
final class Withdrawal {
    /** Before each time: the execution may not be there yet, or the cancel not be taken. */
    private static final long[] AFTER_MILLIS = {0, 500, 3_000};

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final There there;
    private final CallId call;
    /** Empty where the answer that would have named it never came. */
    private final Optional<String> execution;

    Withdrawal(There there, CallId call, Optional<String> execution) {
        this.there = there;
        this.call = call;
        this.execution = execution;
    }

    /** Tries a few times; what it does not reach ends there by the limit of time that it was given. */
    void run() {
        try {
            for (long after : AFTER_MILLIS) {
                TimeUnit.MILLISECONDS.sleep(after);
                if (done()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean done() {
        try {
            Optional<String> id = execution.isPresent() ? execution : found();
            return id.isPresent() && isOver(cancel(id.get()).status());
        } catch (IOException e) {
            return false;
        }
    }

    /** Cancelled, gone, or ended by itself; anything else may be different the next time. */
    private static boolean isOver(int status) {
        return status / 100 == 2 || status == NOT_FOUND || status == CONFLICT;
    }

    private There.Answer cancel(String id) throws IOException {
        Origin.Request request = new Origin.Request();
        return There.within(
                There.LONGEST, request, () -> there.post("/executions/" + id + "/cancel", Map.of(), "{}", request));
    }

    /** By its label. */
    private Optional<String> found() throws IOException {
        String label = Offer.encoded(RemoteCall.LABEL + ":" + call);
        Origin.Request request = new Origin.Request();
        There.Answer list =
                There.within(There.LONGEST, request, () -> there.get("/executions?limit=1&label=" + label, request));
        return list.status() == 200 ? id(list) : Optional.empty();
    }

    private static Optional<String> id(There.Answer list) {
        try {
            String said = list.body().path("items").path(0).path("id").asText();
            return Optional.of(UUID.fromString(said).toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
