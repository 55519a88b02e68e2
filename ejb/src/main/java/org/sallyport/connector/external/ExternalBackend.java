package org.sallyport.connector.external;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.TokenBucket;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.ConnectorStatusMessage;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.RegistrationRefusedException;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/**
 * A backend whose connectors are other processes. It is up while at least one connector sends heartbeats. Each call has
 * a correlation id that cannot be guessed; the first reply with that id on the backend's own reply queue completes the
 * call. Thread-safe.
 */
final class ExternalBackend implements BackendConnection, ConnectorChannel.ChannelReceiver {
    private static final int CORRELATION_BYTES = 16;
    private static final long MAX_POLL_INTERVAL_MILLIS = 1_000;
    private static final Duration ACCOUNT_RETRY_DELAY = Duration.ofSeconds(5);

    private final String name;
    private final Duration heartbeatTimeout;
    private final ConnectionListener listener;
    private final ConnectorChannel channel;
    private final ConnectorAccount account;
    private final BackendRegistry.BackendExecutors executors;
    private final TimeSource timeSource;
    private final RandomGenerator random;
    private final ConnectorInstances instances;
    private final DroppedMessages droppedMessages;
    private final TokenBucket registrationLimiter;
    private final TokenBucket commandLimiter;
    private final Map<String, PendingExternalCall> openCalls = new ConcurrentHashMap<>();
    private final Map<CallId, String> correlations = new ConcurrentHashMap<>();
    private volatile Redactor redactor = Redactor.NONE;
    private volatile boolean up;
    private @Nullable ScheduledFuture<?> pollTask;
    private @Nullable List<ToolDefinition> storedTools;
    private boolean registered;
    private boolean absenceReported;
    private boolean accountEnabled;
    private final long startedNanos;
    private long nextAccountRetryNanos;
    private boolean closed;

    private record PendingExternalCall(BackendRequest call, CompletableFuture<ToolResult> result) {}

    /**
     * @param heartbeatTimeout maximum time without a heartbeat
     * @param random generates correlation ids; must be cryptographically strong
     */
    ExternalBackend(
            String name,
            Duration heartbeatTimeout,
            ConnectionListener listener,
            ConnectorChannel wire,
            ConnectorAccount entry,
            BackendRegistry.BackendExecutors threads,
            TimeSource clocks,
            RandomGenerator random) {
        this.name = name;
        this.heartbeatTimeout = heartbeatTimeout;
        this.listener = listener;
        this.channel = wire;
        this.account = entry;
        this.executors = threads;
        this.timeSource = clocks;
        this.random = random;
        this.instances = new ConnectorInstances(heartbeatTimeout, clocks.nanoTime());
        this.droppedMessages = new DroppedMessages(name, clocks.nanoTime());
        this.registrationLimiter = new TokenBucket(10, 1, clocks.nanoTime());
        this.commandLimiter = new TokenBucket(10, 1, clocks.nanoTime());
        this.startedNanos = clocks.nanoTime().getAsLong();
        this.nextAccountRetryNanos = startedNanos;
    }

    @Override
    public synchronized void start() {
        listener.onStateChanged(BackendState.STARTING, Optional.empty());
        channel.open(this);
        long millis = Math.min(MAX_POLL_INTERVAL_MILLIS, Math.max(1, heartbeatTimeout.toMillis() / 4));
        pollTask = executors
                .scheduler()
                .scheduleWithFixedDelay(
                        () -> executors.executor().execute(this::poll), 0, millis, TimeUnit.MILLISECONDS);
    }

    /** Polls immediately, so that a connector started right after its backend was added can connect. */
    @Override
    public void onReady() {
        executors.executor().execute(this::poll);
    }

    /** Enables the account of the connectors, requests registrations, and detects that no connector is left. */
    void poll() {
        if (!channel.isReady() || !enableAccount() || instances.hasLiveInstance()) {
            return;
        }
        sendCommand(new ConnectorCommand.RegisterCommand());
        if (up) {
            markDown("its connector has sent no heartbeat for " + heartbeatTimeout.toMillis() + " ms");
        } else if (reportAbsenceOnce()) {
            listener.onStateChanged(BackendState.DOWN, Optional.of("no connector has registered"));
        }
    }

    private synchronized boolean reportAbsenceOnce() {
        boolean enough = !registered
                && !absenceReported
                && timeSource.nanoTime().getAsLong() - startedNanos > heartbeatTimeout.toNanos();
        absenceReported |= enough; // the absence is reported only once
        return enough;
    }

    private synchronized boolean enableAccount() {
        long now = timeSource.nanoTime().getAsLong();
        if (closed || accountEnabled || now - nextAccountRetryNanos < 0) {
            return !closed && accountEnabled;
        }
        try {
            redactor = account.enable();
            accountEnabled = true;
            return true;
        } catch (RuntimeException e) {
            nextAccountRetryNanos = now + ACCOUNT_RETRY_DELAY.toNanos();
            listener.onStateChanged(BackendState.DOWN, Optional.of(String.valueOf(e.getMessage())));
            return false;
        }
    }

    private boolean sendCommand(ConnectorCommand command) {
        try {
            channel.sendCommand(command);
            return true;
        } catch (BrokerUnavailableException e) {
            return false; // the next poll repeats the command, or its receiver no longer needs it
        }
    }

    // ---- Status messages of connectors

    @Override
    public boolean onStatusMessage(ConnectorChannel.MessageBody body) {
        try {
            ConnectorStatusMessage news = ConnectorStatusMessage.decode(body.text());
            if (news instanceof ConnectorStatusMessage.ConnectorRegistration one) {
                return onRegistration(one);
            } else if (news instanceof ConnectorStatusMessage.ConnectorHeartbeat alive) {
                return onHeartbeat(alive);
            } else {
                instances.remove(news.instance());
                if (up && !instances.hasLiveInstance()) {
                    markDown("its connector has left");
                }
                return true;
            }
        } catch (RegistrationRefusedException e) {
            return refuseRegistration(e.instance(), String.valueOf(e.getMessage()));
        } catch (MalformedMessageException e) {
            droppedMessages.add("it is not a message of the contract");
            return false;
        }
    }

    private boolean onHeartbeat(ConnectorStatusMessage.ConnectorHeartbeat alive) {
        if (instances.heartbeat(alive.instance(), alive.revision())) {
            return true;
        }
        return commandLimiter.tryAcquire() && sendCommand(new ConnectorCommand.RegisterCommand());
    }

    private boolean onRegistration(ConnectorStatusMessage.ConnectorRegistration one) {
        if (!registrationLimiter.tryAcquire()) {
            droppedMessages.add("it registers too often");
            return false;
        }
        List<ToolDefinition> tools = new ArrayList<>();
        for (ConnectorStatusMessage.RegisteredTool tool : one.tools()) {
            if (!ToolCatalog.accepts(new ToolSpec(
                    new ToolName(name, tool.name()),
                    tool.description(),
                    tool.inputSchema(),
                    tool.outputSchema(),
                    tool.hints()))) {
                return refuseRegistration(one.instance(), "tool '" + tool.name() + "' has an invalid schema");
            }
            tools.add(new ToolDefinition(
                    tool.name(),
                    tool.name(),
                    tool.description(),
                    tool.inputSchema(),
                    tool.outputSchema(),
                    tool.hints()));
        }
        return acceptRegistration(one, tools);
    }

    /** Runs on the single thread that receives status messages. */
    private boolean acceptRegistration(ConnectorStatusMessage.ConnectorRegistration one, List<ToolDefinition> tools) {
        if (!tools.equals(storedTools)) {
            try {
                // Called without the lock of this backend: the listener waits for the registry's lock, whose owner may
                // be closing this backend.
                listener.onToolsDeclared(tools);
            } catch (RuntimeException e) {
                // The tools are not recorded, so that the connector is asked to register again.
                System.getLogger(ExternalBackend.class.getName())
                        .log(Level.WARNING, "the tools of backend {0} could not be stored: {1}", name, e.getMessage());
                return true;
            }
            storedTools = tools;
        }
        if (!instances.register(one.instance(), one.revision())) {
            droppedMessages.add("too many connector processes have registered");
            return false;
        }
        synchronized (this) {
            registered = true;
            if (!up && !closed) {
                up = true;
                listener.onStateChanged(BackendState.READY, Optional.empty());
            }
        }
        return true;
    }

    private boolean refuseRegistration(String instance, String reason) {
        droppedMessages.add("a registration with an invalid tool");
        listener.onStateChanged(
                up ? BackendState.READY : BackendState.DOWN, Optional.of("a registration was refused: " + reason));
        if (commandLimiter.tryAcquire()) {
            sendCommand(new ConnectorCommand.RegistrationRefusedCommand(instance, reason));
        }
        return false;
    }

    // ---- Calls

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        String correlation = newCorrelationId();
        PendingExternalCall one = new PendingExternalCall(call, new CompletableFuture<>());
        openCalls.put(correlation, one);
        correlations.put(call.id(), correlation);
        try {
            channel.sendCall(correlation, toRequest(call), timeToLiveMillis(call));
        } catch (BrokerUnavailableException e) {
            completeCall(
                    correlation,
                    e.maybeSent()
                            ? unansweredResult(
                                    call, "may not have reached its connector: the message broker does not answer")
                            : unsentResult(call, "was not sent: the message broker does not answer"));
        } catch (RuntimeException | Error e) {
            openCalls.remove(correlation);
            correlations.remove(call.id(), correlation);
            throw e;
        }
        if (!up) {
            // The backend went down while the call was being sent, and the cleanup did not see the call.
            executors.executor().execute(() -> failOrphanedCall(correlation, "its connector is gone"));
        }
        return one.result();
    }

    private String newCorrelationId() {
        byte[] bytes = new byte[CORRELATION_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private ToolRequestMessage toRequest(BackendRequest call) {
        return new ToolRequestMessage(
                new ToolCall(
                        call.id(),
                        call.tenant(),
                        new ToolName(name, call.tool()),
                        call.arguments(),
                        call.deadline(),
                        call.trace()),
                timeSource.wallClock().instant());
    }

    /**
     * A call that must not be repeated stays in the queue until it is withdrawn: only a call that the service takes
     * back has certainly not reached a connector.
     */
    private long timeToLiveMillis(BackendRequest call) {
        long left = Duration.between(timeSource.wallClock().instant(), call.deadline())
                .toMillis();
        return Math.max(1, left) + (call.repeatable() ? 0 : WITHDRAWAL_TIMEOUT.toMillis());
    }

    @Override
    public boolean onReply(String correlation, ConnectorChannel.MessageBody body) {
        PendingExternalCall one = openCalls.get(correlation);
        if (one == null) {
            droppedMessages.add("a reply to no pending call");
            return false;
        }
        try {
            completeCall(
                    correlation,
                    ExternalReplyReader.read(body.text(), one.call().repeatable()));
        } catch (MalformedMessageException e) {
            droppedMessages.add("an invalid reply");
            completeCall(
                    correlation, unansweredResult(one.call(), "was answered with an invalid reply: " + e.getMessage()));
        }
        return true;
    }

    @Override
    public boolean onCallAbandoned(String correlation) {
        PendingExternalCall one = openCalls.get(correlation);
        if (one != null) {
            completeCall(
                    correlation,
                    unansweredResult(one.call(), "was sent to a connector that went away before it answered"));
        }
        return true;
    }

    private void completeCall(String correlation, ToolResult result) {
        PendingExternalCall one = openCalls.get(correlation);
        if (one != null) {
            // Completed first: a call that is not open any more has its answer.
            one.result().complete(result);
            openCalls.remove(correlation);
            correlations.remove(one.call().id(), correlation);
        }
    }

    private static ToolResult unsentResult(BackendRequest call, String what) {
        return ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "'" + call.tool() + "' " + what);
    }

    private static ToolResult unansweredResult(BackendRequest call, String what) {
        return ToolResult.failure(
                call.repeatable() ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN,
                "'" + call.tool() + "' " + what);
    }

    @Override
    public void cancel(CallId call) {
        var unused = withdraw(call);
    }

    /** A call that can be removed from the queue has certainly not started. */
    @Override
    public CompletionStage<Boolean> withdraw(CallId call) {
        String correlation = correlations.remove(call);
        if (correlation == null) {
            return CompletableFuture.completedStage(false);
        }
        CompletableFuture<Boolean> notBegun = new CompletableFuture<>();
        executors.executor().execute(() -> {
            boolean retracted = channel.retractCall(correlation);
            // Until now a reply completes the call.
            boolean unanswered = openCalls.remove(correlation) != null;
            notBegun.complete(retracted);
            if (unanswered && !retracted) {
                sendCommand(new ConnectorCommand.CancelCallCommand(call));
            }
        });
        return notBegun;
    }

    private void markDown(String why) {
        synchronized (this) {
            if (!up) {
                return;
            }
            up = false;
            // The state is reported first, so that callers of lost calls find the reason.
            listener.onStateChanged(BackendState.DOWN, Optional.of(why));
        }
        List<String> lostCalls = List.copyOf(openCalls.keySet());
        executors.executor().execute(() -> lostCalls.forEach(correlation -> failOrphanedCall(correlation, why)));
    }

    /** Ends a call whose connector is gone. A call that can be removed from the queue has certainly not started. */
    private void failOrphanedCall(String correlation, String why) {
        PendingExternalCall one = openCalls.get(correlation);
        if (one == null) {
            return;
        }
        if (channel.retractCall(correlation)) {
            completeCall(correlation, unsentResult(one.call(), "was not begun: " + why));
        } else {
            completeCall(correlation, unansweredResult(one.call(), "was not answered: " + why));
        }
    }

    @Override
    public long droppedMessages() {
        return droppedMessages.count();
    }

    @Override
    public Redactor redactor() {
        return redactor;
    }

    @Override
    public void close() {
        boolean inside;
        synchronized (this) {
            closed = true;
            up = false;
            inside = accountEnabled;
            if (pollTask != null) {
                pollTask.cancel(false);
            }
        }
        channel.close();
        if (inside) {
            account.disable();
        }
        List.copyOf(openCalls.keySet()).forEach(correlation -> {
            PendingExternalCall one = openCalls.get(correlation);
            if (one != null) {
                completeCall(correlation, unansweredResult(one.call(), "was not answered: its backend was closed"));
            }
        });
    }
}
