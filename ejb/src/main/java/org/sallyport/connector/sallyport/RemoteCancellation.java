package org.sallyport.connector.sallyport;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.CallId;

/** Ends there what a call that nobody waits for has made, if it has made anything. Whoever asked does not wait for it. */
final class RemoteCancellation {
    /** Before each time: the execution may not be there yet, or the cancel not be taken. */
    private static final long[] DELAYS_MILLIS = {0, 500, 3_000};

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final RemoteInstallationClient remote;
    private final CallId call;
    /** Empty where the answer that would have named it never came. */
    private final Optional<String> executionId;

    RemoteCancellation(RemoteInstallationClient there, CallId call, Optional<String> execution) {
        this.remote = there;
        this.call = call;
        this.executionId = execution;
    }

    /** Tries a few times; what it does not reach ends there by the limit of time that it was given. */
    void run() {
        try {
            for (long after : DELAYS_MILLIS) {
                TimeUnit.MILLISECONDS.sleep(after);
                if (tryCancel()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean tryCancel() {
        try {
            Optional<String> id = executionId.isPresent() ? executionId : findExecutionId();
            return id.isPresent() && isFinal(cancel(id.get()).status());
        } catch (IOException e) {
            return false;
        }
    }

    /** Cancelled, gone, or ended by itself; anything else may be different the next time. */
    private static boolean isFinal(int status) {
        return status / 100 == 2 || status == NOT_FOUND || status == CONFLICT;
    }

    private RemoteInstallationClient.RemoteResponse cancel(String id) throws IOException {
        SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
        return RemoteInstallationClient.withTimeout(
                RemoteInstallationClient.REQUEST_TIMEOUT,
                request,
                () -> remote.post("/executions/" + id + "/cancel", Map.of(), "{}", request));
    }

    /** By its label. */
    private Optional<String> findExecutionId() throws IOException {
        String label = RemoteToolImporter.urlEncode(RemoteCall.CALL_LABEL + ":" + call);
        SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
        RemoteInstallationClient.RemoteResponse list = RemoteInstallationClient.withTimeout(
                RemoteInstallationClient.REQUEST_TIMEOUT,
                request,
                () -> remote.get("/executions?limit=1&label=" + label, request));
        return list.status() == 200 ? firstId(list) : Optional.empty();
    }

    private static Optional<String> firstId(RemoteInstallationClient.RemoteResponse list) {
        try {
            String said = list.body().path("items").path(0).path("id").asText();
            return Optional.of(UUID.fromString(said).toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
