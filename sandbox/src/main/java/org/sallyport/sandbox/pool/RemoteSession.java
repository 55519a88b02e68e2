package org.sallyport.sandbox.pool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.HostRequestLimiter;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * The server's side of a session in a worker. Validates every frame of the worker against the protocol and the limits.
 * Messages to the script never wait for the worker: timers of the server send some of them.
 */
final class RemoteSession implements SandboxSession, WorkerTask {
    private static final int MAX_PROGRESS_TEXT_LENGTH = 1_000;
    private static final int MAX_PROFILE_CHARS = 10_000_000;
    private static final Pattern DEBUGGER_URL = Pattern.compile("ws://127\\.0\\.0\\.1:\\d{4,5}/[0-9a-f]{32}");

    private final WorkerSandbox pool;
    private final SessionRequest request;
    private final SessionListener listener;
    private final AtomicBoolean ended = new AtomicBoolean();

    private volatile @Nullable Worker worker;
    private volatile long number;
    private volatile boolean cancelled;
    private volatile boolean postponed;
    /** Minimum wait before the session may be parked, in milliseconds; at least 1. */
    private volatile long parkThresholdMillis;

    private volatile long lastSentNanos;

    private final HostRequestLimiter requestLimiter = new HostRequestLimiter();

    // Used only by the reader thread of the worker.
    private boolean profileReceived;
    private boolean blockedAccessReceived;
    private long toolCalls;
    private long serviceCalls;
    private int approvalRequests;
    private long replayLogChars;
    private final Map<OutputStreamKind, Integer> outputCharsByStream = new EnumMap<>(OutputStreamKind.class);
    private final Set<OutputStreamKind> truncatedStreams = EnumSet.noneOf(OutputStreamKind.class);

    RemoteSession(WorkerSandbox pool, SessionRequest request, SessionListener listener) {
        this.pool = pool;
        this.request = request;
        this.parkThresholdMillis = Math.max(1, request.parkAfterMillis());
        this.listener = listener;
        replayLogChars = request.replayState().log().length();
    }

    SessionRequest request() {
        return request;
    }

    @Override
    public String tenant() {
        return request.tenant();
    }

    @Override
    public boolean needsOwnWorker() {
        return request.needsOwnWorker();
    }

    @Override
    public boolean isDone() {
        return ended.get();
    }

    /** Returns whether the server has sent a frame since {@code nanos}; the script may be computing on it. */
    boolean hasSentSince(long nanos) {
        return lastSentNanos - nanos >= 0;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void resolve(long call, String result) {
        requestLimiter.release(call);
        sendFrame(new Frame.ResolveFrame(number, call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        requestLimiter.release(call);
        sendFrame(new Frame.RejectFrame(number, call, error));
    }

    @Override
    public void postpone(long call) {
        postponed = true;
        sendFrame(new Frame.PostponeFrame(number, call));
    }

    @Override
    public void lowerParkThreshold(long millis) {
        parkThresholdMillis = Math.min(parkThresholdMillis, millis);
        sendFrame(new Frame.ParkThresholdFrame(number, millis));
    }

    @Override
    public void cancel() {
        if (ended.get() || cancelled) {
            return;
        }
        cancelled = true;
        pool.enforceCancel(this);
        sendFrame(new Frame.CancelFrame(number));
    }

    @Override
    public void runOn(Worker chosen, long given) {
        number = given;
        worker = chosen;
        lastSentNanos = System.nanoTime();
        chosen.execute(this, given);
        if (cancelled) {
            sendFrame(new Frame.CancelFrame(given));
        }
        // The worker missed every threshold that was set before it was assigned.
        long soon = parkThresholdMillis;
        if (soon < request.parkAfterMillis()) {
            sendFrame(new Frame.ParkThresholdFrame(given, soon));
        }
    }

    /** Returns the number of the session in its worker. */
    long number() {
        return number;
    }

    /** Returns the assigned worker, or null while the session waits for one. */
    @Nullable Worker worker() {
        return worker;
    }

    @Override
    public void onWorkerLost(SessionResult end) {
        finish(cancelled ? new SessionResult.SessionCancelled() : end);
    }

    void handleToolCall(Frame.ToolCallFrame call) throws ProtocolException {
        SessionLimits limits = request.limits();
        boolean service = call.backend().equals(HostServices.BACKEND);
        require(call.call() == toolCalls + serviceCalls + 1);
        if (service) {
            require(++serviceCalls <= HostServices.MAX_SERVICE_CALLS);
            require(!call.tool().equals(HostServices.APPROVAL_REQUEST)
                    || ++approvalRequests <= HostServices.MAX_APPROVAL_REQUESTS);
            require(call.arguments().length() <= HostServices.maxArgumentChars(call.tool(), limits));
            require(requestLimiter.tryAdd(call.call(), call.arguments().length()));
        } else {
            require(++toolCalls <= limits.toolCalls());
            require(call.arguments().length() <= limits.argumentChars());
        }
        listener.onToolCall(
                call.call(),
                TextLimits.truncate(call.backend(), TextLimits.MAX_NAME_LENGTH),
                TextLimits.truncate(call.tool(), TextLimits.MAX_NAME_LENGTH),
                call.arguments());
    }

    void handleOutput(Frame.OutputFrame output) throws ProtocolException {
        require(!output.text().isEmpty());
        int total = outputCharsByStream.merge(output.stream(), output.text().length(), Math::addExact);
        require(total <= request.limits().outputChars());
        listener.onOutput(output.stream(), output.text());
    }

    void handleOutputTruncated(OutputStreamKind stream) throws ProtocolException {
        require(truncatedStreams.add(stream));
        listener.onOutputTruncated(stream);
    }

    void handleProgress(Frame.ProgressFrame progress) throws ProtocolException {
        require(progress.permille() <= 1_000 && progress.text().length() <= MAX_PROGRESS_TEXT_LENGTH);
        listener.onProgress(progress.permille() / 1_000.0, progress.text());
    }

    void handleReplayLog(String log) throws ProtocolException {
        require(!log.isEmpty());
        replayLogChars += log.length();
        require(replayLogChars <= ReplayState.MAX_LOG_CHARS);
        listener.onReplayLog(log);
    }

    void handleBlockedAccess(List<BlockedAccess> counts) throws ProtocolException {
        require(!blockedAccessReceived && !counts.isEmpty());
        blockedAccessReceived = true;
        require(counts.stream()
                        .map(each -> Map.entry(each.kind(), each.name()))
                        .distinct()
                        .count()
                == counts.size());
        for (BlockedAccessKind kind : BlockedAccessKind.values()) {
            long names = counts.stream().filter(each -> each.kind() == kind).count();
            require(names <= BlockedAccess.MAX_NAMES + 1);
        }
        for (BlockedAccess each : counts) {
            require(each.name().length() <= BlockedAccess.MAX_NAME_LENGTH);
            require(each.count() >= 1 && each.count() <= BlockedAccess.MAX_COUNT);
        }
        listener.onBlockedAccess(counts);
    }

    void handleDebuggerReady(Frame.DebuggerReadyFrame inspectable) throws ProtocolException {
        require(request.debugMode() == SandboxDebugMode.INSPECT
                || request.debugMode() == SandboxDebugMode.INSPECT_BREAK);
        require(DEBUGGER_URL.matcher(inspectable.url()).matches());
        listener.onDebuggerReady(inspectable.url());
    }

    void handleProfile(Frame.ProfileFrame profiled) throws ProtocolException {
        require(request.debugMode() == SandboxDebugMode.PROFILE && !profileReceived);
        require(profiled.profile().length() <= MAX_PROFILE_CHARS);
        profileReceived = true;
        listener.onProfile(profiled.profile());
    }

    void handleResult(SessionResult end) throws ProtocolException {
        if (end instanceof SessionResult.ScriptReturned returned) {
            require(returned.result().length() <= request.limits().resultChars());
        }
        if (end instanceof SessionResult.SessionParked parked) {
            require(request.parkAfterMillis() > 0
                    && (parked.millisToFirstTimer() >= parkThresholdMillis
                            || parked.millisToFirstTimer() == 0 && postponed));
            require(parked.openCalls().size() <= toolCalls + serviceCalls);
            require(parked.openCalls().stream().allMatch(call -> call >= 1 && call <= toolCalls + serviceCalls));
        }
        require(cancelled || !(end instanceof SessionResult.SessionCancelled));
        finish(TextLimits.truncateTexts(end));
    }

    private void finish(SessionResult end) {
        if (ended.compareAndSet(false, true)) {
            listener.onEnded(end);
        }
    }

    private void sendFrame(Frame.WorkerBoundFrame frame) {
        Worker present = worker;
        if (present != null && !ended.get()) {
            lastSentNanos = System.nanoTime();
            present.send(frame);
        }
    }

    private static void require(boolean possible) throws ProtocolException {
        if (!possible) {
            throw new ProtocolException("impossible frame");
        }
    }
}
