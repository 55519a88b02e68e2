package org.sallyport.runner;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.bridge.SharedQuestion;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.Claim;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;

/**
 * The calls of one execution whose answers are its batch's, where it asked for that. What it asks a second time is sent: who asks again wants to hear
 * what is new; and so is what it reads once it may have changed something. What earlier runs of it have called counts as well.
 */
final class SharedCalls {
    private final Claim claim;
    private final RunContext context;
    private final Map<Asked, Long> first = new ConcurrentHashMap<>();
    private volatile long firstChange = Long.MAX_VALUE;

    private record Asked(ToolName tool, String arguments) {}

    SharedCalls(Claim claim, RunContext context) {
        this.claim = claim;
        this.context = context;
    }

    /** Whether the execution shares what it reads. */
    boolean any() {
        return claim.sharing().isPresent();
    }

    /** The script makes a call, for the first time or again in a later run; told of all, in order. */
    void made(long call, ToolName tool, Json arguments) {
        if (!any() || tool.backend().equals(HostServices.BACKEND)) {
            return;
        }
        Optional<CatalogTool> known = context.catalog().find(tool);
        if (known.isPresent() && known.get().spec().hints().readOnly()) {
            SharedQuestion.hash(claim.grants(), arguments)
                    .ifPresent(hash ->
                            first.putIfAbsent(new Asked(known.get().spec().name(), hash), call));
        } else if (call < firstChange) {
            firstChange = call;
        }
    }

    /** @param tool one that only reads */
    CompletionStage<ToolReply> send(ToolCall call, CatalogTool tool) {
        Optional<SharedQuestion> question = claim.sharing()
                .flatMap(batch -> SharedQuestion.of(batch, claim.tenant(), claim.grants(), tool, call.arguments()))
                .filter(asks -> isShared(call, asks));
        return question.isPresent()
                ? context.shared().send(question.get(), call)
                : context.bridge().send(call);
    }

    private boolean isShared(ToolCall call, SharedQuestion question) {
        long ordinal = call.id().ordinal();
        return ordinal < firstChange
                && Long.valueOf(ordinal).equals(first.get(new Asked(call.tool(), question.hash())));
    }
}
