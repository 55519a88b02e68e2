package org.sallyport.runner;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.bridge.SharedReadKey;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;

/**
 * The calls of one execution whose answers are its batch's, where it asked for that. What it asks a second time is sent: who asks again wants to hear
 * what is new; and so is what it reads once it may have changed something. What earlier runs of it have called counts as well.
 */
final class SharedReadRouter {
    private final ClaimedExecution claim;
    private final EngineServices context;
    private final Map<CallSignature, Long> firstCalls = new ConcurrentHashMap<>();
    private volatile long firstEffectCall = Long.MAX_VALUE;

    private record CallSignature(ToolName tool, String arguments) {}

    SharedReadRouter(ClaimedExecution claim, EngineServices context) {
        this.claim = claim;
        this.context = context;
    }

    /** Whether the execution shares what it reads. */
    boolean isEnabled() {
        return claim.readSharingBatch().isPresent();
    }

    /** The script makes a call, for the first time or again in a later run; told of all, in order. */
    void recordCall(long call, ToolName tool, Json arguments) {
        if (!isEnabled() || tool.backend().equals(HostServices.BACKEND)) {
            return;
        }
        Optional<CatalogTool> known = context.catalog().find(tool);
        if (known.isPresent() && known.get().spec().hints().readOnly()) {
            SharedReadKey.hash(claim.grants(), arguments)
                    .ifPresent(hash -> firstCalls.putIfAbsent(
                            new CallSignature(known.get().spec().name(), hash), call));
        } else if (call < firstEffectCall) {
            firstEffectCall = call;
        }
    }

    /** @param tool one that only reads */
    CompletionStage<ToolReply> send(ToolCall call, CatalogTool tool) {
        Optional<SharedReadKey> question = claim.readSharingBatch()
                .flatMap(batch -> SharedReadKey.of(batch, claim.tenant(), claim.grants(), tool, call.arguments()))
                .filter(asks -> isShared(call, asks));
        return question.isPresent()
                ? context.sharedReads().send(question.get(), call)
                : context.bridge().send(call);
    }

    private boolean isShared(ToolCall call, SharedReadKey question) {
        long ordinal = call.id().ordinal();
        return ordinal < firstEffectCall
                && Long.valueOf(ordinal).equals(firstCalls.get(new CallSignature(call.tool(), question.hash())));
    }
}
