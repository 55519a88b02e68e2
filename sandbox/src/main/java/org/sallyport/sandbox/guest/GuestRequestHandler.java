package org.sallyport.sandbox.guest;

import java.nio.charset.StandardCharsets;
import org.graalvm.polyglot.Context;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;
import org.sallyport.sandbox.ExactNumberEncoder;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionRequest;

/** Handles the requests of the prelude. Used only on the turns of the session. */
final class GuestRequestHandler implements GuestBridge.BridgeRequestHandler {
    private static final String EMPTY_REPLY = "";

    private final Context context;
    private final SessionRequest request;
    private final PreparedToolbox toolbox;
    private final GuestEngine engine;
    private final SessionNotifier notifier;
    private final ReplayLog log;
    private final GuestCallRegistry calls;
    private final GuestTimers timers;
    private final GuestCompletion completion;
    private @Nullable SeededRandom random;

    GuestRequestHandler(
            Context context,
            SessionRequest request,
            PreparedToolbox bench,
            GuestEngine engine,
            SessionNotifier voice,
            ReplayLog log,
            GuestCallRegistry calls,
            GuestTimers timers,
            GuestCompletion ending) {
        this.context = context;
        this.request = request;
        this.toolbox = bench;
        this.engine = engine;
        this.notifier = voice;
        this.log = log;
        this.calls = calls;
        this.timers = timers;
        this.completion = ending;
    }

    @Override
    public Object handle(String what, GuestBridge.BridgeArguments with) {
        return switch (what) {
            case "call" -> calls.startToolCall(with.text(1), with.text(2), with.text(3));
            case "waiting-call" -> calls.startWaitingToolCall(with.text(1), with.text(2), with.text(3));
            case "service" -> calls.startServiceCall(with.text(1), with.text(2));
            case "artifact" -> calls.startArtifactWrite(with.text(1), with.text(2), with.text(3), with.value(4));
            case "timer" ->
                timers.start(
                        with.number(1),
                        Double.parseDouble(with.text(2)),
                        with.text(3).equals("repeat"));
            case "input" -> input(with.text(1));
            case "part" -> engine.evaluatePart(context, with.text(1));
            case "menu" -> toolbox.toolList().toolsJson(with.text(1));
            case "interfaces" -> toolbox.catalog().interfaces();
            case "interface" -> toolbox.catalog().interfaceOf(with.text(1));
            case "describe" -> toolbox.catalog().describe(with.text(1));
            case "search" -> toolbox.catalog().search(with.text(1), with.number(2));
            case "canonical" -> toolbox.toolList().canonicalNameJson(with.text(1));
            case "exact" -> ExactNumberEncoder.encode(with.text(1));
            case "module-id" -> toolbox.moduleLoader().resolveId(with.text(1));
            case "module" -> toolbox.moduleLoader().evaluate(context, with.text(1));
            case "stack" -> completion.mapStackTrace(with.text(1));
            case "now" -> (double) log.now();
            case "random" -> random().nextUnits();
            case "digest" -> ByteFunctions.digest(with.text(1), with.value(2));
            case "base64" -> ByteFunctions.encodeBase64(with.value(1));
            case "unbase64" -> ByteFunctions.decodeBase64Into(with.text(1), with.value(2));
            case "utf8" -> ByteFunctions.decodeUtf8(with.text(1));
            case "ascii-host" -> ByteFunctions.toAsciiHost(with.text(1));
            default -> handleNotification(what, with);
        };
    }

    private String handleNotification(String what, GuestBridge.BridgeArguments with) {
        switch (what) {
            case "print" ->
                notifier.notifyOutput(
                        with.text(1).equals("err") ? OutputStreamKind.ERR : OutputStreamKind.OUT, with.text(2));
            case "progress" -> notifier.notifyProgress(Double.parseDouble(with.text(1)), with.text(2));
            case "blocked" ->
                notifier.recordBlockedAccess(
                        with.text(1).equals("module") ? BlockedAccessKind.MODULE : BlockedAccessKind.GLOBAL,
                        with.text(2));
            case "clear" -> timers.cancel(with.number(1));
            case "withdraw" -> calls.withdrawWaitingToolCall();
            case "forget" -> calls.abandonServiceCall(with.number(1));
            case "done" -> completion.completeReturned(with.text(1));
            case "threw" ->
                completion.completeThrew(
                        with.text(1), with.text(2), with.text(3), with.text(4), Long.parseLong(with.text(5)));
            case "too-large" -> completion.completeResultTooLarge();
            default -> throw new IllegalArgumentException();
        }
        return EMPTY_REPLY;
    }

    private String input(String name) {
        return switch (name) {
            case "args" -> request.args();
            case "context" -> request.context();
            default -> request.env();
        };
    }

    private SeededRandom random() {
        SeededRandom present = random;
        if (present == null) {
            String seed = request.replayState().seed();
            present = new SeededRandom(seed.isEmpty() ? SeededRandom.newSeed() : seed.getBytes(StandardCharsets.UTF_8));
            random = present;
        }
        return present;
    }
}
