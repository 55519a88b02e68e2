package org.sallyport.connector.sallyport;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.CallId;

/** Cancels the remote execution of a call whose caller no longer waits, if the execution exists. */
final class RemoteCancellation {
    /** Delay before each attempt: the execution may not exist yet, or the cancellation may fail. */
    private static final long[] DELAYS_MILLIS = {0, 500, 3_000};

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final RemoteInstallationClient remote;
    private final CallId call;
    /** Empty if the response that contained the id was lost. */
    private final Optional<String> executionId;

    RemoteCancellation(RemoteInstallationClient there, CallId call, Optional<String> execution) {
        this.remote = there;
        this.call = call;
        this.executionId = execution;
    }

    /** Tries a few times; if all attempts fail, the remote execution ends by its own time limit. */
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

    /** Cancelled, deleted, or ended by itself; after any other status another attempt may succeed. */
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

    /** Finds the execution by its label. */
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
