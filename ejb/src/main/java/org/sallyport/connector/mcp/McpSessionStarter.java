package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Starts a session in place of one that the server does not know any more, by the same handshake. */
final class McpSessionStarter {
    private final SessionMessageSender sender;
    private final Consumer<JSONRPCMessage> receiver;
    private final List<String> protocolVersions;

    /** Posts a message in a session, as {@link McpHttpExchange#start} does. */
    interface SessionMessageSender {
        CompletableFuture<Void> send(
                JSONRPCMessage message, McpHttpSession session, McpHttpExchange.ExchangeListener listener);
    }

    /**
     * @param receiver receives the messages that do not belong to the handshake
     * @param protocolVersions the versions of the protocol that this client supports
     */
    McpSessionStarter(SessionMessageSender sender, Consumer<JSONRPCMessage> receiver, List<String> protocolVersions) {
        this.sender = sender;
        this.receiver = receiver;
        this.protocolVersions = protocolVersions;
    }

    /**
     * Starts a session.
     *
     * @param initialize the request that started the first session
     * @return fails with {@link McpFailure.McpFailureException} if there is none
     */
    CompletableFuture<McpHttpSession> start(JSONRPCRequest initialize) {
        HandshakeListener listener = new HandshakeListener();
        return sender.send(initialize, McpHttpSession.NONE, listener).thenCompose(done -> {
            McpHttpSession next = listener.session();
            return sender.send(new JSONRPCNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED), next, listener)
                    .thenApply(accepted -> next);
        });
    }

    private final class HandshakeListener implements McpHttpExchange.ExchangeListener {
        private final AtomicReference<@Nullable JSONRPCResponse> answer = new AtomicReference<>();
        private volatile Optional<String> sessionId = Optional.empty();

        @Override
        public void onMessage(JSONRPCMessage message) {
            receiver.accept(message);
        }

        @Override
        public void onAnswer(JSONRPCResponse received, Optional<String> id) {
            sessionId = id;
            answer.set(received);
        }

        @Override
        public CompletableFuture<McpHttpSession> renewSession(McpHttpSession unknown) {
            return CompletableFuture.failedFuture(failure("the server does not know the session that it started"));
        }

        McpHttpSession session() {
            JSONRPCResponse received = answer.get();
            if (received == null) {
                throw failure("the server did not answer in time");
            }
            if (received.error() != null) {
                throw failure(received.error().message());
            }
            McpHttpSession started = McpHttpSession.of(sessionId, received);
            if (started.protocolVersion().filter(protocolVersions::contains).isEmpty()) {
                throw failure("the server answered with a version of the protocol that is not supported: "
                        + started.protocolVersion().orElse("none"));
            }
            return started;
        }

        private static McpFailure.McpFailureException failure(String reason) {
            return new McpFailure.McpFailureException(new McpFailure.RequestUnanswered(reason));
        }
    }
}
