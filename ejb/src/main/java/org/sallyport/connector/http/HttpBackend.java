package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretReferences;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Calls the operations of one HTTP interface. There is no permanent connection: the backend is ready after its
 * description and its secrets are loaded, which is retried until it succeeds. Thread-safe.
 */
final class HttpBackend implements BackendConnection {
    private static final long INITIAL_RETRY_DELAY_MILLIS = 1_000;
    private static final long MAX_RETRY_DELAY_MILLIS = 60_000;

    private final HttpBackendDefinition.HttpDefinitionLoader definitionLoader;
    private final Supplier<SecretReferences> secrets;
    private final Map<String, String> configuredHeaders;
    private final GuardedHttpClient httpClient;
    private final ConnectionListener listener;
    private final Executor executor;
    private final Map<CallId, GuardedHttpClient.RequestHandle> openRequests = new ConcurrentHashMap<>();
    private volatile Redactor redactor = Redactor.NONE;
    private volatile Map<String, String> resolvedHeaders = Map.of();
    private volatile List<CredentialHeader> credentialHeaders = List.of();
    private volatile HttpBackendDefinition backendDefinition = new HttpBackendDefinition("", List.of(), Map.of());
    private volatile boolean closed;

    /** A credential with its value, for the operations that its security scheme protects. */
    private record CredentialHeader(String scheme, String name, String value) {}

    HttpBackend(
            HttpBackendDefinition.HttpDefinitionLoader finder,
            Map<String, String> headers,
            Supplier<SecretReferences> secrets,
            GuardedHttpClient exchange,
            ConnectionListener listener,
            Executor executor) {
        this.definitionLoader = finder;
        this.configuredHeaders = headers;
        this.secrets = secrets;
        this.httpClient = exchange;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public void start() {
        executor.execute(() -> initialize(INITIAL_RETRY_DELAY_MILLIS));
    }

    private void initialize(long pause) {
        if (closed) {
            return;
        }
        try {
            HttpBackendDefinition found = definitionLoader.load(httpClient);
            SecretReferences known = secrets.get();
            Map<String, String> resolved = known.resolve(configuredHeaders);
            List<CredentialHeader> credentials = found.credentials().stream()
                    .map(credential -> new CredentialHeader(
                            credential.scheme(), credential.header(), credential.headerValue(known)))
                    .toList();
            redactor = known.redactor();
            resolvedHeaders = resolved;
            credentialHeaders = credentials;
            backendDefinition = found;
            listener.onToolsDeclared(found.toolDefinitions());
            listener.onStateChanged(BackendState.READY, found.notice());
        } catch (IOException e) {
            scheduleRetry(
                    e.getCause() instanceof EgressDeniedException denied
                            ? "its OpenAPI document may not be fetched: " + denied.getMessage()
                            : "its OpenAPI document could not be fetched: " + reason(e),
                    pause);
        } catch (EgressDeniedException e) {
            scheduleRetry("its OpenAPI document may not be fetched: " + e.getMessage(), pause);
        } catch (InvalidBackendException e) {
            scheduleRetry(e.member() + " " + e.getMessage(), pause);
        } catch (IllegalStateException e) {
            scheduleRetry(String.valueOf(e.getMessage()), pause);
        } catch (RuntimeException e) {
            System.getLogger(HttpBackend.class.getName()).log(System.Logger.Level.DEBUG, "a backend did not start", e);
            scheduleRetry("the service could not prepare it and tries again", pause);
        }
    }

    private void scheduleRetry(String why, long pause) {
        if (!closed) {
            listener.onStateChanged(BackendState.DOWN, Optional.of(why));
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> initialize(Math.min(MAX_RETRY_DELAY_MILLIS, pause * 2)));
        }
    }

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        HttpOperation operation = backendDefinition.operations().get(call.tool());
        if (operation == null) {
            return CompletableFuture.completedFuture(
                    ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no operation '" + call.tool() + "'"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        GuardedHttpClient.RequestHandle handle = new GuardedHttpClient.RequestHandle();
        openRequests.put(call.id(), handle);
        result.whenComplete((done, failure) -> openRequests.remove(call.id(), handle));
        executor.execute(() -> {
            try {
                result.complete(execute(call, operation, handle));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            } catch (Error e) {
                result.completeExceptionally(e);
                throw e; // ends the process if memory has run out
            }
        });
        return result;
    }

    private ToolResult execute(BackendRequest call, HttpOperation operation, GuardedHttpClient.RequestHandle handle) {
        try {
            JsonNode arguments = ExactJsonMapper.read(call.arguments().text());
            return HttpResponses.toToolResult(
                    operation,
                    httpClient.callOperation(
                            backendDefinition.baseUrl(),
                            operation,
                            arguments,
                            new GuardedHttpClient.ExtraHeaders(
                                    resolvedHeaders,
                                    credentials(operation),
                                    call.trace(),
                                    call.id().toString()),
                            handle),
                    call.repeatable());
        } catch (UnencodableArgumentException | JsonProcessingException e) {
            return ToolResult.failure(
                    ToolErrorCode.INVALID_ARGUMENTS,
                    "'" + call.tool() + "' cannot be called with these arguments: " + e.getMessage());
        } catch (EgressDeniedException e) {
            return ToolResult.failure(
                    ToolErrorCode.EGRESS_DENIED, "'" + call.tool() + "' was not sent: " + e.getMessage());
        } catch (RedirectPolicy.RedirectNotFollowedException e) {
            return HttpResponses.toFailure(operation, e);
        } catch (GuardedHttpClient.ResponseTooLargeException e) {
            return ToolResult.failure(ToolErrorCode.TOO_LARGE, "'" + call.tool() + "' answers " + e.getMessage());
        } catch (IOException e) {
            return toFailure(call, handle, e);
        }
    }

    private Map<String, String> credentials(HttpOperation operation) {
        Map<String, String> headers = new LinkedHashMap<>();
        credentialHeaders.stream()
                .filter(header -> operation
                        .credentials()
                        .map(schemes -> schemes.contains(header.scheme()))
                        .orElse(true))
                .forEach(header -> headers.merge(header.name(), header.value(), HttpCredential::join));
        return headers;
    }

    private static ToolResult toFailure(BackendRequest call, GuardedHttpClient.RequestHandle handle, IOException e) {
        @Nullable Throwable denied = e.getCause();
        if (denied instanceof EgressDeniedException) {
            return ToolResult.failure(
                    ToolErrorCode.EGRESS_DENIED, "'" + call.tool() + "' was not sent: " + denied.getMessage());
        }
        return handle.sent() && !call.repeatable()
                ? ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN,
                        "the answer to '" + call.tool() + "' was lost (" + reason(e) + "); it may have had its effect")
                : ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE, "'" + call.tool() + "' was not answered: " + reason(e));
    }

    private static String reason(IOException e) {
        return e instanceof UnknownHostException ? "its host has no address" : String.valueOf(e.getMessage());
    }

    @Override
    public void cancel(CallId call) {
        GuardedHttpClient.RequestHandle handle = openRequests.get(call);
        if (handle != null) {
            handle.abort();
        }
    }

    /** A request that has no connection yet is not sent any more. */
    @Override
    public CompletionStage<Boolean> withdraw(CallId call) {
        GuardedHttpClient.RequestHandle handle = openRequests.get(call);
        if (handle == null) {
            return CompletableFuture.completedStage(false);
        }
        handle.abort();
        return CompletableFuture.completedStage(!handle.sent());
    }

    @Override
    public Redactor redactor() {
        return redactor;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(openRequests.values()).forEach(GuardedHttpClient.RequestHandle::abort);
        httpClient.close();
    }
}
