package org.sallyport.sandbox.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.BlockedAccess.BlockedAccessKind;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;

/** Encodes frames as JSON in pure ASCII, which preserves every UTF-16 code unit, including NUL and lone surrogates. */
public final class FrameCodec {
    /** Maximum bytes of a frame; longer frames are refused before they are read. */
    public static final int MAX_FRAME_BYTES = 32 << 20;
    /** Many times the threads on which a worker computes. */
    private static final int MAX_COMPUTING_SESSIONS = 1_000;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(com.fasterxml.jackson.core.StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();

    private FrameCodec() {}

    static void write(Frame frame, OutputStream target) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(target)) {
            json.writeStartObject();
            write(frame, json);
            json.writeEndObject();
        }
    }

    static Frame read(byte[] bytes, int length) throws ProtocolException {
        FrameFields fields = FrameFields.read(bytes, length);
        Frame frame = read(fields.text("is"), fields);
        fields.requireAllTaken();
        return frame;
    }

    private static void write(Frame frame, JsonGenerator json) throws IOException {
        if (frame instanceof Frame.ExecuteFrame execute) {
            json.writeStringField("is", "execute");
            json.writeNumberField("session", execute.session());
            write(execute.script(), json);
            json.writeStringField("args", execute.args());
            json.writeStringField("context", execute.context());
            write(execute.limits(), json);
            json.writeNumberField("menu", execute.toolboxId());
            json.writeStringField("env", execute.env());
            json.writeStringField("debug", execute.debugMode().name());
            json.writeStringField("seed", execute.replayState().seed());
            json.writeStringField("log", execute.replayState().log());
            json.writeNumberField("replies", execute.replayState().replyCount());
            json.writeNumberField("aheadMillis", execute.replayState().clockOffsetMillis());
            json.writeNumberField("parkMillis", execute.parkAfterMillis());
        } else if (frame instanceof Frame.ResolveFrame resolve) {
            json.writeStringField("is", "resolve");
            json.writeNumberField("session", resolve.session());
            json.writeNumberField("call", resolve.call());
            json.writeStringField("result", resolve.result());
        } else if (frame instanceof Frame.ToolCallFrame call) {
            json.writeStringField("is", "call");
            json.writeNumberField("session", call.session());
            json.writeNumberField("call", call.call());
            json.writeStringField("backend", call.backend());
            json.writeStringField("tool", call.tool());
            json.writeStringField("arguments", call.arguments());
        } else if (frame instanceof Frame.OutputFrame output) {
            json.writeStringField("is", "output");
            json.writeNumberField("session", output.session());
            json.writeStringField("stream", output.stream().name());
            json.writeStringField("text", output.text());
        } else if (frame instanceof Frame.SessionResultFrame done) {
            json.writeStringField("is", "done");
            json.writeNumberField("session", done.session());
            write(done.result(), json);
        } else {
            writeOther(frame, json);
        }
    }

    private static void writeOther(Frame frame, JsonGenerator json) throws IOException {
        if (frame instanceof Frame.RejectFrame reject) {
            json.writeStringField("is", "reject");
            json.writeNumberField("session", reject.session());
            json.writeNumberField("call", reject.call());
            json.writeStringField("code", reject.error().code());
            json.writeStringField("message", reject.error().message());
            json.writeBooleanField("retryable", reject.error().retryable());
            json.writeStringField("details", reject.error().details());
        } else if (frame instanceof Frame.PostponeFrame postpone) {
            json.writeStringField("is", "postpone");
            json.writeNumberField("session", postpone.session());
            json.writeNumberField("call", postpone.call());
        } else if (frame instanceof Frame.ParkThresholdFrame park) {
            json.writeStringField("is", "park");
            json.writeNumberField("session", park.session());
            json.writeNumberField("millis", park.millis());
        } else if (frame instanceof Frame.GrantFrame grant) {
            json.writeStringField("is", "grant");
            json.writeNumberField("session", grant.session());
            json.writeNumberField("call", grant.call());
        } else if (frame instanceof Frame.CancelFrame cancel) {
            json.writeStringField("is", "cancel");
            json.writeNumberField("session", cancel.session());
        } else if (frame instanceof Frame.ToolboxFrame menu) {
            json.writeStringField("is", "menu");
            json.writeNumberField("menu", menu.toolboxId());
            write("tools", menu.toolbox().tools(), GuestTool::metadataJson, json);
            // Only the names of tools that a script cannot see are sent.
            write("others", menu.toolbox().ungrantedTools(), tool -> "{}", json);
            json.writeArrayFieldStart("backends");
            for (Map.Entry<String, String> backend :
                    new TreeMap<>(menu.toolbox().backends()).entrySet()) {
                json.writeString(backend.getKey());
                json.writeString(backend.getValue());
            }
            json.writeEndArray();
            json.writeArrayFieldStart("modules");
            for (LibraryModule module : menu.toolbox().modules()) {
                json.writeString(module.name());
                json.writeString(module.version());
                json.writeString(module.sha256());
                json.writeString(module.code());
            }
            json.writeEndArray();
        } else if (frame instanceof Frame.CheckFrame check) {
            json.writeStringField("is", "check");
            json.writeNumberField("check", check.check());
            write(check.script(), json);
            json.writeBooleanField("references", check.withReferences());
        } else if (frame instanceof Frame.CheckResultFrame checked) {
            json.writeStringField("is", "checked");
            json.writeNumberField("check", checked.check());
            write(checked.checked().result(), json);
            ReferenceFields.write(checked.checked().references(), json);
        } else if (frame instanceof Frame.HelloFrame hello) {
            json.writeStringField("is", "hello");
            json.writeNumberField("version", hello.version());
            json.writeStringField("token", hello.token());
        } else if (frame instanceof Frame.ReserveFrame reservation) {
            json.writeStringField("is", "reserve");
            json.writeNumberField("session", reservation.session());
            json.writeNumberField("call", reservation.call());
            json.writeNumberField("chars", reservation.chars());
        } else if (frame instanceof Frame.OutputTruncatedFrame truncated) {
            json.writeStringField("is", "truncated");
            json.writeNumberField("session", truncated.session());
            json.writeStringField("stream", truncated.stream().name());
        } else if (frame instanceof Frame.ProgressFrame progress) {
            json.writeStringField("is", "progress");
            json.writeNumberField("session", progress.session());
            json.writeNumberField("permille", progress.permille());
            json.writeStringField("text", progress.text());
        } else if (frame instanceof Frame.ReplayLogFrame recorded) {
            json.writeStringField("is", "recorded");
            json.writeNumberField("session", recorded.session());
            json.writeStringField("log", recorded.log());
        } else if (frame instanceof Frame.BlockedAccessFrame blocked) {
            json.writeStringField("is", "blocked");
            json.writeNumberField("session", blocked.session());
            write(blocked.counts(), json);
        } else if (frame instanceof Frame.DebuggerReadyFrame inspectable) {
            json.writeStringField("is", "inspectable");
            json.writeNumberField("session", inspectable.session());
            json.writeStringField("url", inspectable.url());
        } else if (frame instanceof Frame.ProfileFrame profiled) {
            json.writeStringField("is", "profiled");
            json.writeNumberField("session", profiled.session());
            json.writeStringField("profile", profiled.profile());
        } else if (frame instanceof Frame.HeartbeatFrame beat) {
            json.writeStringField("is", "heartbeat");
            write("computing", beat.computingSessions(), json);
            write("allocated", beat.allocatedMegabytes(), json);
            json.writeNumberField("heapPercent", beat.heapPercent());
            json.writeBooleanField("damaged", beat.damaged());
        } else {
            throw new IllegalStateException("frames of this type are read only");
        }
    }

    private static Frame read(String is, FrameFields fields) throws ProtocolException {
        return switch (is) {
            case "execute" ->
                new Frame.ExecuteFrame(
                        fields.number("session"),
                        script(fields),
                        fields.text("args"),
                        fields.text("context"),
                        limits(fields),
                        fields.number("menu"),
                        fields.text("env"),
                        fields.enumConstant("debug", SandboxDebugMode.class),
                        new ReplayState(
                                fields.text("seed"),
                                fields.text("log"),
                                fields.number("replies"),
                                fields.number("aheadMillis")),
                        fields.number("parkMillis"));
            case "resolve" ->
                new Frame.ResolveFrame(fields.number("session"), fields.number("call"), fields.text("result"));
            case "reject" ->
                new Frame.RejectFrame(
                        fields.number("session"),
                        fields.number("call"),
                        new GuestError(
                                fields.text("code"),
                                fields.text("message"),
                                fields.bool("retryable"),
                                fields.textOrNull("details")));
            case "postpone" -> new Frame.PostponeFrame(fields.number("session"), fields.number("call"));
            case "park" -> new Frame.ParkThresholdFrame(fields.number("session"), fields.number("millis"));
            case "grant" -> new Frame.GrantFrame(fields.number("session"), fields.number("call"));
            case "cancel" -> new Frame.CancelFrame(fields.number("session"));
            case "menu" ->
                new Frame.ToolboxFrame(
                        fields.number("menu"),
                        new Toolbox(
                                tools(fields.list("tools", String.class)),
                                tools(fields.list("others", String.class)),
                                backends(fields.list("backends", String.class)),
                                modules(fields.list("modules", String.class))));
            case "check" -> new Frame.CheckFrame(fields.number("check"), script(fields), fields.bool("references"));
            case "hello" -> new Frame.HelloFrame(fields.count("version"), fields.text("token"));
            case "checked" ->
                new Frame.CheckResultFrame(
                        fields.number("check"),
                        new CheckedScript(readCheckResult(fields), ReferenceFields.read(fields)));
            case "call" ->
                new Frame.ToolCallFrame(
                        fields.number("session"),
                        fields.number("call"),
                        fields.text("backend"),
                        fields.text("tool"),
                        fields.text("arguments"));
            case "reserve" ->
                new Frame.ReserveFrame(fields.number("session"), fields.number("call"), fields.count("chars"));
            case "output" ->
                new Frame.OutputFrame(
                        fields.number("session"),
                        fields.enumConstant("stream", OutputStreamKind.class),
                        fields.text("text"));
            case "truncated" ->
                new Frame.OutputTruncatedFrame(
                        fields.number("session"), fields.enumConstant("stream", OutputStreamKind.class));
            case "progress" ->
                new Frame.ProgressFrame(fields.number("session"), fields.count("permille"), fields.text("text"));
            case "recorded" -> new Frame.ReplayLogFrame(fields.number("session"), fields.text("log"));
            case "blocked" -> new Frame.BlockedAccessFrame(fields.number("session"), blockedAccess(fields));
            case "inspectable" -> new Frame.DebuggerReadyFrame(fields.number("session"), fields.text("url"));
            case "profiled" -> new Frame.ProfileFrame(fields.number("session"), fields.text("profile"));
            case "done" -> new Frame.SessionResultFrame(fields.number("session"), readSessionResult(fields));
            case "heartbeat" -> heartbeat(fields);
            default -> throw new ProtocolException("unknown frame");
        };
    }

    private static Frame.HeartbeatFrame heartbeat(FrameFields fields) throws ProtocolException {
        List<Long> computing = fields.list("computing", Long.class);
        List<Long> allocated = fields.list("allocated", Long.class);
        if (allocated.size() != computing.size() || computing.size() > MAX_COMPUTING_SESSIONS) {
            throw new ProtocolException("heartbeat of too many sessions, or without the allocated memory of each");
        }
        if (allocated.stream().anyMatch(megabytes -> megabytes < 0 || megabytes > Integer.MAX_VALUE)) {
            throw new ProtocolException("heartbeat of impossible memory");
        }
        return new Frame.HeartbeatFrame(computing, allocated, fields.count("heapPercent"), fields.bool("damaged"));
    }

    private static void write(List<BlockedAccess> counts, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("names");
        for (BlockedAccess each : counts) {
            json.writeString(each.kind().name());
            json.writeString(each.name());
        }
        json.writeEndArray();
        write("counts", counts.stream().map(BlockedAccess::count).toList(), json);
    }

    private static List<BlockedAccess> blockedAccess(FrameFields fields) throws ProtocolException {
        List<String> names = fields.list("names", String.class);
        List<Long> counts = fields.list("counts", Long.class);
        if (names.size() != counts.size() * 2) {
            throw new ProtocolException("names without a count each");
        }
        List<BlockedAccess> all = new ArrayList<>(counts.size());
        for (int i = 0; i < counts.size(); i++) {
            all.add(new BlockedAccess(blockedAccessKind(names.get(2 * i)), names.get(2 * i + 1), counts.get(i)));
        }
        return all;
    }

    private static BlockedAccessKind blockedAccessKind(String name) throws ProtocolException {
        for (BlockedAccessKind kind : BlockedAccessKind.values()) {
            if (kind.name().equals(name)) {
                return kind;
            }
        }
        throw new ProtocolException("unknown kind of blocked access");
    }

    private static void write(String name, List<Long> numbers, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(name);
        for (long number : numbers) {
            json.writeNumber(number);
        }
        json.writeEndArray();
    }

    private static void write(Script script, JsonGenerator json) throws IOException {
        json.writeStringField("code", script.code());
        json.writeStringField("language", script.language().name());
    }

    private static Script script(FrameFields fields) throws ProtocolException {
        return new Script(fields.text("code"), fields.enumConstant("language", SourceLanguage.class));
    }

    private static void write(SessionLimits limits, JsonGenerator json) throws IOException {
        json.writeNumberField("cpuMillis", limits.cpuMillis());
        json.writeNumberField("heapBytes", limits.heapBytes());
        json.writeNumberField("toolCalls", limits.toolCalls());
        json.writeNumberField("concurrentCalls", limits.concurrentCalls());
        json.writeNumberField("outputChars", limits.outputChars());
        json.writeNumberField("resultChars", limits.resultChars());
        json.writeNumberField("argumentChars", limits.argumentChars());
        json.writeNumberField("timers", limits.timers());
        json.writeNumberField("artifacts", limits.artifacts());
        json.writeNumberField("artifactBytes", limits.artifactBytes());
        json.writeNumberField("events", limits.events());
    }

    private static SessionLimits limits(FrameFields fields) throws ProtocolException {
        return new SessionLimits(
                fields.number("cpuMillis"),
                fields.number("heapBytes"),
                fields.count("toolCalls"),
                fields.count("concurrentCalls"),
                fields.count("outputChars"),
                fields.count("resultChars"),
                fields.count("argumentChars"),
                fields.count("timers"),
                fields.count("artifacts"),
                fields.count("artifactBytes"),
                fields.count("events"));
    }

    private static void write(String name, List<GuestTool> tools, Function<GuestTool, String> about, JsonGenerator json)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (GuestTool tool : tools) {
            json.writeString(tool.backend());
            json.writeString(tool.tool());
            json.writeString(about.apply(tool));
            json.writeString(tool.backendId());
            json.writeString(tool.toolId());
            json.writeString(tool.declaredName());
        }
        json.writeEndArray();
    }

    private static List<GuestTool> tools(List<String> names) throws ProtocolException {
        if (names.size() % 6 != 0) {
            throw new ProtocolException("malformed tool list");
        }
        List<GuestTool> tools = new ArrayList<>(names.size() / 6);
        for (int i = 0; i < names.size(); i += 6) {
            tools.add(new GuestTool(
                    names.get(i),
                    names.get(i + 1),
                    names.get(i + 2),
                    names.get(i + 3),
                    names.get(i + 4),
                    names.get(i + 5)));
        }
        return tools;
    }

    private static Map<String, String> backends(List<String> texts) throws ProtocolException {
        if (texts.size() % 2 != 0) {
            throw new ProtocolException("malformed tool list");
        }
        Map<String, String> identifiers = new HashMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            identifiers.put(texts.get(i), texts.get(i + 1));
        }
        return identifiers;
    }

    private static List<LibraryModule> modules(List<String> texts) throws ProtocolException {
        if (texts.size() % 4 != 0) {
            throw new ProtocolException("malformed tool list");
        }
        List<LibraryModule> modules = new ArrayList<>(texts.size() / 4);
        for (int i = 0; i < texts.size(); i += 4) {
            modules.add(new LibraryModule(texts.get(i), texts.get(i + 1), texts.get(i + 2), texts.get(i + 3)));
        }
        return modules;
    }

    private static void write(ScriptCheckResult verdict, JsonGenerator json) throws IOException {
        if (verdict instanceof ScriptCheckResult.ScriptRejected rejected) {
            json.writeStringField("verdict", "rejected");
            json.writeStringField("message", rejected.message());
            json.writeNumberField("line", rejected.line());
            json.writeNumberField("column", rejected.column());
            json.writeStringField("codeFrame", rejected.codeFrame());
        } else if (verdict instanceof ScriptCheckResult.ScriptAccepted accepted) {
            json.writeStringField("verdict", "accepted");
            json.writeStringField("language", accepted.language().name());
            json.writeBooleanField("fenced", accepted.fenced());
        }
    }

    private static ScriptCheckResult readCheckResult(FrameFields fields) throws ProtocolException {
        return switch (fields.text("verdict")) {
            case "accepted" -> new ScriptCheckResult.ScriptAccepted(knownLanguage(fields), fields.bool("fenced"));
            case "rejected" ->
                new ScriptCheckResult.ScriptRejected(
                        fields.text("message"), fields.count("line"), fields.count("column"), fields.text("codeFrame"));
            default -> throw new ProtocolException("unknown verdict");
        };
    }

    private static SourceLanguage knownLanguage(FrameFields fields) throws ProtocolException {
        SourceLanguage language = fields.enumConstant("language", SourceLanguage.class);
        if (language == SourceLanguage.UNSPECIFIED) {
            throw new ProtocolException("an accepted script has no language");
        }
        return language;
    }

    private static void write(SessionResult end, JsonGenerator json) throws IOException {
        if (end instanceof SessionResult.ScriptReturned returned) {
            json.writeStringField("end", "returned");
            json.writeStringField("result", returned.result());
        } else if (end instanceof SessionResult.ScriptThrew threw) {
            json.writeStringField("end", "threw");
            json.writeStringField("code", threw.code());
            json.writeStringField("message", threw.message());
            json.writeNumberField("line", threw.line());
            json.writeNumberField("column", threw.column());
            json.writeStringField("stack", threw.stack());
            json.writeStringField("tool", threw.tool());
            json.writeNumberField("call", threw.call());
        } else if (end instanceof SessionResult.SessionLimitReached reached) {
            json.writeStringField("end", "limit");
            json.writeStringField("limit", reached.limit().name());
            json.writeStringField("message", reached.message());
        } else if (end instanceof SessionResult.SessionParked parked) {
            json.writeStringField("end", "parked");
            json.writeNumberField("millis", parked.millisToFirstTimer());
            write("open", parked.openCalls(), json);
        } else if (end instanceof SessionResult.SessionCancelled) {
            json.writeStringField("end", "cancelled");
        } else {
            throw new IllegalStateException("workers do not send this session result");
        }
    }

    private static SessionResult readSessionResult(FrameFields fields) throws ProtocolException {
        return switch (fields.text("end")) {
            case "returned" -> new SessionResult.ScriptReturned(fields.text("result"));
            case "threw" ->
                new SessionResult.ScriptThrew(
                        fields.text("code"),
                        fields.text("message"),
                        fields.count("line"),
                        fields.count("column"),
                        fields.text("stack"),
                        fields.textOrNull("tool"),
                        fields.number("call"));
            case "limit" ->
                new SessionResult.SessionLimitReached(
                        fields.enumConstant("limit", SessionResult.SessionLimitType.class), fields.text("message"));
            case "parked" -> new SessionResult.SessionParked(fields.number("millis"), fields.list("open", Long.class));
            case "cancelled" -> new SessionResult.SessionCancelled();
            default -> throw new ProtocolException("unknown end");
        };
    }
}
