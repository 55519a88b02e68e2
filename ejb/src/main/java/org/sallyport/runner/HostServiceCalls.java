package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.event.EventBus;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.quota.CountedQuotaCheck;
import org.sallyport.redaction.RedactedEvent;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Handles the host service calls of one execution: its artifacts and its tenant's events. Thread-safe. */
final class HostServiceCalls {
    /** Keeps the digits of numbers in the data of events. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final int MAX_EVENT_NAMES = 100;
    /** A hundred years. */
    private static final long MAX_TIMEOUT_MILLIS = 3_155_760_000_000L;

    private final ClaimedExecution claim;
    private final InstantSource clock;
    private final ArtifactStore artifacts;
    private final ScriptArtifactReader artifactReader;
    private final EventBus events;
    private final CountedQuotaCheck storedBytesQuota;
    private final int maxArtifacts;
    private final int maxArtifactBytes;
    private final int maxEvents;
    private final Supplier<Redactor> redactions;
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger emitted = new AtomicInteger();
    private final Map<Long, PendingEventWait> pendingEventWaits = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * A call that waits for an event.
     *
     * @param since when the script first made the call
     * @param until the deadline of the wait
     * @param answer completes with the event; empty at the deadline
     */
    record PendingEventWait(
            Set<String> names,
            long after,
            Instant since,
            Optional<Instant> until,
            CompletableFuture<Optional<ScriptEvent>> answer) {}

    HostServiceCalls(ClaimedExecution claim, EngineServices context) {
        this.claim = claim;
        this.clock = context.clock();
        this.artifacts = context.artifacts();
        this.artifactReader =
                new ScriptArtifactReader(artifacts, context.memory().reads(), context.executor());
        this.events = context.events();
        this.storedBytesQuota = context.quotas().storedBytes();
        ExecutionLimits limits = claim.limits();
        this.maxArtifacts =
                limits.additional(AdditionalLimit.ARTIFACTS, context.limits().artifacts());
        this.maxArtifactBytes = limits.additional(
                AdditionalLimit.ARTIFACT_BYTES, context.limits().artifactBytes());
        this.maxEvents =
                limits.additional(AdditionalLimit.EVENTS, context.limits().events());
        this.redactions = () -> context.redactionProvider().secretsRedactorFor(claim.tenant());
    }

    /** Returns whether the call has an effect. */
    static boolean isEffect(String service) {
        return service.equals(HostServices.ARTIFACT_WRITE) || service.equals(HostServices.EVENT_EMIT);
    }

    /** Returns whether the call has an effect on the execution itself. */
    static boolean isArtifactWrite(ToolName tool) {
        return tool.backend().equals(HostServices.BACKEND) && tool.tool().equals(HostServices.ARTIFACT_WRITE);
    }

    /**
     * Writes an artifact again in a re-run whose call is answered from the recording, even after the run has ended.
     * Retries while the store is unavailable.
     */
    void repeatArtifactWrite(long call, String service, Json arguments) {
        StoreRetry.runWhileUnavailable(() -> answer(call, service, arguments, clock.instant()), () -> false);
    }

    /**
     * Answers a call. Waits for the store, but never for an event. If the store is unavailable, an effect may be stored
     * or not; the same call may be tried again, because its effect is stored once.
     *
     * @param madeAt when the script first made the call
     */
    CompletionStage<ToolResult> answer(long call, String service, Json arguments, Instant madeAt) {
        try {
            JsonNode json = JSON.readTree(arguments.text());
            return switch (service) {
                case HostServices.ARTIFACT_WRITE -> completed(write(json));
                case HostServices.ARTIFACT_READ ->
                    artifactReader.read(
                            claim.tenant(), claim.fence().id(), text(json, "name", Artifact.MAX_NAME_LENGTH));
                case HostServices.ARTIFACT_LIST -> completed(list());
                case HostServices.EVENT_EMIT -> completed(emit(call, json));
                case HostServices.EVENT_LAST ->
                    completed(success(JSON.createObjectNode().put("seq", events.lastSeq(claim.tenant()))));
                case HostServices.EVENT_NEXT -> awaitEvent(call, json, madeAt);
                default -> completed(ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no such service"));
            };
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            return completed(ToolResult.failure(
                    ToolErrorCode.INVALID_ARGUMENTS,
                    wrong instanceof JsonProcessingException
                            ? "the arguments are not JSON"
                            : String.valueOf(wrong.getMessage())));
        } catch (StoreUnavailableException e) {
            uncount(service);
            throw e;
        }
    }

    /** Takes back the count of an effect that could not be stored; the same call may be tried again. */
    private void uncount(String service) {
        if (service.equals(HostServices.ARTIFACT_WRITE)) {
            written.decrementAndGet();
        } else if (service.equals(HostServices.EVENT_EMIT)) {
            emitted.decrementAndGet();
        }
    }

    /** Cancels all waits for events. */
    void close() {
        closed = true;
        pendingEventWaits.values().forEach(each -> each.answer().cancel(false));
    }

    /** Returns the calls that wait for events, by ordinal. Valid after {@link #close} too. */
    Map<Long, PendingEventWait> pendingEventWaits() {
        return Map.copyOf(pendingEventWaits);
    }

    private ToolResult write(JsonNode json) {
        String name = text(json, "name", Artifact.MAX_NAME_LENGTH);
        Artifact.ArtifactKind kind =
                Artifact.ArtifactKind.valueOf(text(json, "kind", 10).toUpperCase(Locale.ROOT));
        byte[] bytes = Base64.getDecoder().decode(json.path("data").asText());
        if (bytes.length > maxArtifactBytes) {
            return ToolResult.failure(
                    ToolErrorCode.TOO_LARGE,
                    "an artifact may hold " + maxArtifactBytes + " bytes, this has " + bytes.length
                            + "; raise limits.artifactBytes or write several");
        }
        if (written.incrementAndGet() > maxArtifacts) {
            return ToolResult.failure(
                    ToolErrorCode.CALL_LIMIT,
                    "an execution may write " + maxArtifacts + " artifacts; raise limits.artifacts for more");
        }
        String type = json.hasNonNull("contentType")
                ? MediaTypes.validate(json.path("contentType").asText())
                : MediaTypes.defaultFor(kind);
        OptionalLong more = reserveBytes(name, bytes.length);
        if (more.isEmpty()) {
            return ToolResult.failure(
                    ToolErrorCode.QUOTA_EXCEEDED,
                    "with the " + bytes.length + " bytes of '" + name
                            + "', the artifacts and journals of this tenant exceed its quota 'storedBytes' of "
                            + storedBytesQuota.limitFor(claim.tenant())
                            + " bytes; delete older executions, or ask an operator of the installation to raise it");
        }
        boolean kept = false;
        try {
            kept = artifacts.write(claim.fence(), name, new ArtifactContent(kind, type, bytes));
        } finally {
            storedBytesQuota.settle(claim.tenant(), more.getAsLong(), kept);
        }
        if (!kept) {
            return ownershipLost();
        }
        return success(JSON.createObjectNode().put("name", name).put("size", bytes.length));
    }

    /**
     * Reserves quota for an artifact. Returns the reserved bytes; empty when the tenant's quota is exhausted. If the
     * quota does not hold the whole artifact, the bytes of the artifact that it replaces are not counted again.
     */
    private OptionalLong reserveBytes(String name, long bytes) {
        if (storedBytesQuota.tryReserve(claim.tenant(), bytes)) {
            return OptionalLong.of(bytes);
        }
        long replaced = artifacts.list(claim.fence().id()).stream()
                .filter(artifact -> artifact.name().equals(name))
                .mapToLong(Artifact::size)
                .sum();
        long more = Math.max(0, bytes - replaced);
        return replaced > 0 && (more == 0 || storedBytesQuota.tryReserve(claim.tenant(), more))
                ? OptionalLong.of(more)
                : OptionalLong.empty();
    }

    private ToolResult list() {
        ArrayNode list = JSON.createArrayNode();
        artifacts
                .list(claim.fence().id())
                .forEach(each -> list.addObject()
                        .put("name", each.name())
                        .put("contentType", each.contentType())
                        .put("size", each.size())
                        .put("createdAt", each.createdAt().toString()));
        return ToolResult.success(new Json(list.toString()));
    }

    private ToolResult emit(long call, JsonNode json) {
        String name = text(json, "name", ScriptEvent.MAX_NAME_LENGTH);
        if (emitted.incrementAndGet() > maxEvents) {
            return ToolResult.failure(
                    ToolErrorCode.CALL_LIMIT,
                    "an execution may emit " + maxEvents + " events; raise limits.events for more");
        }
        Json data = json.has("data") ? new Json(json.path("data").toString()) : Json.NULL;
        RedactedEvent event = RedactedEvent.of(name, data, redactions.get());
        OptionalLong seq = events.emit(claim.tenant(), claim.fence(), call, event.name(), event.data());
        return seq.isEmpty() ? ownershipLost() : success(JSON.createObjectNode().put("seq", seq.getAsLong()));
    }

    private CompletionStage<ToolResult> awaitEvent(long call, JsonNode json, Instant madeAt) {
        Set<String> names = new LinkedHashSet<>();
        json.path("names").forEach(each -> names.add(each.asText()));
        if (names.isEmpty() || names.size() > MAX_EVENT_NAMES) {
            throw new IllegalArgumentException("names must be 1 to " + MAX_EVENT_NAMES + " texts");
        }
        long after = json.hasNonNull("after") ? json.path("after").asLong() : events.lastSeq(claim.tenant());
        Optional<Instant> until = json.hasNonNull("timeout")
                ? Optional.of(madeAt.plusMillis(Math.max(
                        0, Math.min(MAX_TIMEOUT_MILLIS, json.path("timeout").asLong()))))
                : Optional.empty();
        CompletableFuture<Optional<ScriptEvent>> event =
                events.await(claim.tenant(), names, after, until.map(this::remainingTime));
        pendingEventWaits.put(call, new PendingEventWait(names, after, madeAt, until, event));
        if (closed) {
            event.cancel(false);
        }
        return event.thenApply(found -> {
            pendingEventWaits.remove(call);
            return found.map(HostServiceCalls::eventResult)
                    .map(result -> ToolResultRedactor.redact(result, redactions.get()))
                    .orElseGet(() -> success(JSON.createObjectNode().put("seq", after)));
        });
    }

    private Duration remainingTime(Instant until) {
        Duration left = Duration.between(clock.instant(), until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Builds the result as text: the data is JSON already, and a JSON tree could change its numbers. */
    private static ToolResult eventResult(ScriptEvent event) {
        String name = JSON.getNodeFactory().textNode(event.name()).toString();
        return ToolResult.success(new Json("{\"seq\":" + event.seq() + ",\"name\":" + name + ",\"data\":"
                + event.data().text() + "}"));
    }

    private static String text(JsonNode json, String member, int longest) {
        String value = json.path(member).textValue();
        if (value == null || value.isEmpty() || value.length() > longest) {
            throw new IllegalArgumentException(member + " must be a text of 1 to " + longest + " characters");
        }
        return value;
    }

    private static ToolResult ownershipLost() {
        return ToolResult.failure(ToolErrorCode.CANCELLED, "another run holds the execution now");
    }

    private static ToolResult success(ObjectNode value) {
        return ToolResult.success(new Json(value.toString()));
    }

    private static CompletionStage<ToolResult> completed(ToolResult result) {
        return CompletableFuture.completedStage(result);
    }
}
