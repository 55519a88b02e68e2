package org.sallyport.sandbox.guest;

import java.nio.charset.StandardCharsets;
import org.graalvm.polyglot.Context;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionRequest;

/** Answers what the prelude asks. Used on the session's turns only. */
final class GuestRequests implements GuestBridge.Host {
    private static final String NOTHING = "";

    private final Context context;
    private final SessionRequest request;
    private final Workbench bench;
    private final GuestEngine engine;
    private final GuestVoice voice;
    private final RunLog log;
    private final GuestCalls calls;
    private final GuestTimers timers;
    private final GuestEnding ending;
    private @Nullable GuestChance chance;

    GuestRequests(
            Context context,
            SessionRequest request,
            Workbench bench,
            GuestEngine engine,
            GuestVoice voice,
            RunLog log,
            GuestCalls calls,
            GuestTimers timers,
            GuestEnding ending) {
        this.context = context;
        this.request = request;
        this.bench = bench;
        this.engine = engine;
        this.voice = voice;
        this.log = log;
        this.calls = calls;
        this.timers = timers;
        this.ending = ending;
    }

    @Override
    public Object answer(String what, GuestBridge.Words with) {
        return switch (what) {
            case "call" -> calls.tool(with.text(1), with.text(2), with.text(3));
            case "service" -> calls.service(with.text(1), with.text(2));
            case "artifact" -> calls.artifact(with.text(1), with.text(2), with.text(3), with.value(4));
            case "timer" ->
                timers.start(
                        with.number(1),
                        Double.parseDouble(with.text(2)),
                        with.text(3).equals("repeat"));
            case "input" -> input(with.text(1));
            case "part" -> engine.part(context, with.text(1));
            case "menu" -> bench.menu().tools(with.text(1));
            case "interfaces" -> bench.catalog().interfaces();
            case "interface" -> bench.catalog().lookUp(with.text(1));
            case "describe" -> bench.catalog().describe(with.text(1));
            case "search" -> bench.catalog().search(with.text(1), with.number(2));
            case "canonical" -> bench.menu().canonical(with.text(1));
            case "module-id" -> bench.library().idOf(with.text(1));
            case "module" -> bench.library().code(context, with.text(1));
            case "stack" -> ending.readable(with.text(1));
            case "now" -> (double) log.now();
            case "random" -> chance().next();
            case "digest" -> GuestBytes.digest(with.text(1), with.value(2));
            case "base64" -> GuestBytes.base64(with.value(1));
            case "unbase64" -> GuestBytes.fill(with.text(1), with.value(2));
            case "utf8" -> GuestBytes.utf8(with.text(1));
            case "ascii-host" -> GuestBytes.asciiHost(with.text(1));
            default -> tell(what, with);
        };
    }

    private String tell(String what, GuestBridge.Words with) {
        switch (what) {
            case "print" ->
                voice.print(with.text(1).equals("err") ? OutputStreamKind.ERR : OutputStreamKind.OUT, with.text(2));
            case "progress" -> voice.progress(Double.parseDouble(with.text(1)), with.text(2));
            case "clear" -> timers.cancel(with.number(1));
            case "forget" -> calls.forget(with.number(1));
            case "done" -> ending.returned(with.text(1));
            case "threw" ->
                ending.threw(with.text(1), with.text(2), with.text(3), with.text(4), Long.parseLong(with.text(5)));
            case "too-large" -> ending.resultTooLarge();
            default -> throw new IllegalArgumentException();
        }
        return NOTHING;
    }

    private String input(String name) {
        return switch (name) {
            case "args" -> request.args();
            case "context" -> request.context();
            default -> request.env();
        };
    }

    private GuestChance chance() {
        GuestChance present = chance;
        if (present == null) {
            String seed = request.past().seed();
            present = new GuestChance(seed.isEmpty() ? GuestChance.newSeed() : seed.getBytes(StandardCharsets.UTF_8));
            chance = present;
        }
        return present;
    }
}
