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
 * Routes read-only calls of one execution to the shared reads of its batch, if the execution enabled them. A repeated
 * call is sent to the backend, because the script wants fresh data. A read after a call that may have had an effect is
 * sent too. Calls of earlier runs count as well. Thread-safe.
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

    /** Returns whether the execution shares its reads. */
    boolean isEnabled() {
        return claim.readSharingBatch().isPresent();
    }

    /**
     * Records a call of the script, made for the first time or repeated in a later run. The caller reports every call,
     * in order.
     */
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

    /** @param tool a read-only tool */
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
