package org.sallyport.sandbox.pool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OpenCharsLimiter;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * Checks the frames of one session against the protocol and the limits of the session: a script may have taken over its
 * worker. Each check throws a {@link ProtocolException} for a frame that an intact worker does not send. Used only by
 * the reader thread of the worker, except {@link #callAnswered} and {@link #reservationGranted}.
 */
final class SessionFrameValidator {
    private static final int MAX_PROGRESS_TEXT_LENGTH = 1_000;
    /** In ten seconds. An intact worker sends about a hundred. */
    private static final int MAX_PROGRESS_FRAMES = 5_000;

    private static final int MAX_PROFILE_CHARS = 10_000_000;
    private static final Pattern DEBUGGER_URL = Pattern.compile("ws://127\\.0\\.0\\.1:\\d{4,5}/[0-9a-f]{32}");

    /** One entry of a replay log: a time, or timers and the calls that were answered before; and its repetitions. */
    private static final Pattern REPLAY_LOG_ENTRY =
            Pattern.compile("(?:-?\\d{1,18}|t\\d{1,10}(?:-\\d{1,10})?@\\d{1,18})(?:\\*\\d{1,18})? ");

    private final SessionRequest request;
    private final OpenCharsLimiter requestLimiter = new OpenCharsLimiter(OpenCharsLimiter.MAX_HOST_REQUEST_CHARS);
    private final OpenCharsLimiter unreservedCalls = new OpenCharsLimiter(OpenCharsLimiter.MAX_UNRESERVED_CHARS);
    private final Set<Long> openToolCalls = ConcurrentHashMap.newKeySet();

    private final FrameRateCheck progressRate = new FrameRateCheck(MAX_PROGRESS_FRAMES, System.nanoTime());
    private boolean debuggerReady;
    private boolean profileReceived;
    private boolean blockedAccessReceived;
    private long toolCalls;
    private long serviceCalls;
    private int approvalRequests;
    /** The call for which the worker last requested a reservation, and the characters of its arguments. */
    private long reservedCall;

    private int reservedChars;
    /** The call for which a reservation was last granted. */
    private volatile long grantedCall;

    private boolean resultReserved;
    private volatile boolean resultGranted;

    private long replayLogChars;
    private final Map<OutputStreamKind, Integer> outputCharsByStream = new EnumMap<>(OutputStreamKind.class);
    private final Set<OutputStreamKind> truncatedStreams = EnumSet.noneOf(OutputStreamKind.class);

    SessionFrameValidator(SessionRequest request) {
        this.request = request;
        replayLogChars = request.replayState().log().length();
    }

    /**
     * Records that the server answers a call. Called before the answer is sent: the worker may make the next call as
     * soon as it has the answer. Thread-safe.
     */
    void callAnswered(long call) {
        requestLimiter.release(call);
        unreservedCalls.release(call);
        openToolCalls.remove(call);
    }

    /** Records that memory is reserved for a call or the result. Called before the worker is told. Thread-safe. */
    void reservationGranted(Frame.ReserveFrame reservation) {
        if (reservation.isForResult()) {
            resultGranted = true;
        } else {
            grantedCall = reservation.call();
        }
    }

    /**
     * A worker makes its calls in order, so it requests one reservation at a time, for its next call. After the
     * reservation for its result, it only ends.
     */
    void checkReservation(Frame.ReserveFrame reservation) throws ProtocolException {
        SessionLimits limits = request.limits();
        requireNotReturned();
        if (reservation.isForResult()) {
            require(reservation.chars() <= limits.resultChars());
            resultReserved = true;
            reservedChars = reservation.chars();
            return;
        }
        require(reservation.call() == toolCalls + serviceCalls + 1 && reservation.call() != reservedCall);
        require(reservation.chars()
                <= Math.max(
                        limits.argumentChars(), HostServices.maxArgumentChars(HostServices.ARTIFACT_WRITE, limits)));
        reservedCall = reservation.call();
        reservedChars = reservation.chars();
    }

    private void requireNotReturned() throws ProtocolException {
        require(!resultReserved);
    }

    void checkToolCall(Frame.ToolCallFrame call) throws ProtocolException {
        SessionLimits limits = request.limits();
        requireNotReturned();
        require(call.call() == toolCalls + serviceCalls + 1);
        if (call.backend().equals(HostServices.BACKEND)) {
            require(++serviceCalls <= HostServices.MAX_SERVICE_CALLS);
            require(!call.tool().equals(HostServices.APPROVAL_REQUEST)
                    || ++approvalRequests <= HostServices.MAX_APPROVAL_REQUESTS);
            require(call.arguments().length() <= HostServices.maxArgumentChars(call.tool(), limits));
            require(requestLimiter.tryAdd(call.call(), call.arguments().length()));
        } else {
            require(++toolCalls <= limits.toolCalls());
            require(call.arguments().length() <= limits.argumentChars());
            require(openToolCalls.size() < limits.concurrentCalls());
            openToolCalls.add(call.call());
        }
        checkReserved(call);
        WorkerJson.requireValid(call.arguments());
    }

    private void checkReserved(Frame.ToolCallFrame call) throws ProtocolException {
        int chars = call.arguments().length();
        if (call.call() == reservedCall) {
            require(grantedCall == reservedCall && chars <= reservedChars);
        } else {
            require(unreservedCalls.tryAdd(call.call(), chars));
        }
    }

    void checkOutput(Frame.OutputFrame output) throws ProtocolException {
        requireNotReturned();
        require(!output.text().isEmpty());
        int total = outputCharsByStream.merge(output.stream(), output.text().length(), Math::addExact);
        require(total <= request.limits().outputChars());
    }

    void checkOutputTruncated(OutputStreamKind stream) throws ProtocolException {
        require(truncatedStreams.add(stream));
    }

    void checkProgress(Frame.ProgressFrame progress) throws ProtocolException {
        progressRate.count(System.nanoTime());
        require(progress.permille() <= 1_000 && progress.text().length() <= MAX_PROGRESS_TEXT_LENGTH);
    }

    void checkReplayLog(String log) throws ProtocolException {
        requireNotReturned();
        require(!log.isEmpty());
        replayLogChars += log.length();
        require(replayLogChars <= ReplayState.MAX_LOG_CHARS);
        Matcher entry = REPLAY_LOG_ENTRY.matcher(log);
        for (int start = 0; start < log.length(); start = entry.end()) {
            require(entry.region(start, log.length()).lookingAt());
        }
    }

    void checkBlockedAccess(List<BlockedAccess> counts) throws ProtocolException {
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
    }

    void checkDebuggerUrl(String url) throws ProtocolException {
        require(!debuggerReady
                && (request.debugMode() == SandboxDebugMode.INSPECT
                        || request.debugMode() == SandboxDebugMode.INSPECT_BREAK));
        require(DEBUGGER_URL.matcher(url).matches());
        debuggerReady = true;
    }

    void checkProfile(String profile) throws ProtocolException {
        require(request.debugMode() == SandboxDebugMode.PROFILE && !profileReceived);
        require(profile.length() <= MAX_PROFILE_CHARS);
        profileReceived = true;
        WorkerJson.requireValid(profile);
    }

    void checkReturned(SessionResult.ScriptReturned returned) throws ProtocolException {
        int chars = returned.result().length();
        require(chars <= request.limits().resultChars());
        require(
                resultReserved
                        ? resultGranted && chars <= reservedChars
                        : chars <= OpenCharsLimiter.MAX_UNRESERVED_RESULT_CHARS);
        WorkerJson.requireValid(returned.result());
    }

    /**
     * @param parkThresholdMillis minimum wait for timers of a parked session
     * @param postponed whether the server has postponed a call, so that the session may park without timers
     */
    void checkParked(SessionResult.SessionParked parked, long parkThresholdMillis, boolean postponed)
            throws ProtocolException {
        require(request.parkAfterMillis() > 0
                && (parked.millisToFirstTimer() >= parkThresholdMillis
                        || parked.millisToFirstTimer() == 0 && postponed));
        require(parked.openCalls().size() <= toolCalls + serviceCalls);
        require(parked.openCalls().stream().allMatch(call -> call >= 1 && call <= toolCalls + serviceCalls));
    }

    static void require(boolean possible) throws ProtocolException {
        if (!possible) {
            throw new ProtocolException("impossible frame");
        }
    }
}
