package org.sallyport.submission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.ResultCache;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.policy.CallFingerprinter;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.ToolName;

/**
 * Answers executions with the cached result of an earlier execution that had the same input and only read. Decides at
 * lookup time, by the trace of the earlier execution and the current policy; the end of an execution records nothing
 * for the cache. Thread-safe.
 */
public final class ResultCacheService {
    /** Longer traces are not worth the checks. */
    private static final int MAX_TRACE_EVENTS = 500;

    private static final int MAX_CANDIDATES = 3;

    private final ResultCache results;
    private final Journal journal;
    private final CallFingerprinter fingerprinter;

    public ResultCacheService(ResultCache results, Journal journal, CallFingerprinter grounds) {
        this.results = results;
        this.journal = journal;
        this.fingerprinter = grounds;
    }

    /** Returns the execution with its result key if it asks for a cached result; otherwise unchanged. */
    NewExecution withResultKey(NewExecution execution) {
        return execution.cacheOptions().maxAge().isEmpty()
                ? execution
                : execution.withCacheOptions(execution.cacheOptions().withResultKey(resultKey(execution)));
    }

    /**
     * Stores the execution with a cached result. Returns empty when no cached result may be used; nothing is stored
     * then.
     */
    Optional<InsertResult> storeWithCachedResult(NewExecution execution) {
        Optional<String> key = execution.cacheOptions().resultKey();
        if (key.isEmpty()) {
            return Optional.empty();
        }
        Duration maxAge = execution.cacheOptions().maxAge().orElse(Duration.ZERO);
        for (ExecutionId first : results.findCompleted(execution.tenant(), key.get(), maxAge, MAX_CANDIDATES)) {
            if (isReusable(execution, first)) {
                Optional<InsertResult> answered = results.insertCachedResult(
                        execution.withCacheOptions(execution.cacheOptions().withCachedFrom(first)), first);
                if (answered.isPresent()) {
                    return answered;
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the earlier execution only made read-only calls that the new one would be allowed to make now,
     * and all of them succeeded.
     */
    private boolean isReusable(NewExecution execution, ExecutionId first) {
        TracePager pager = new TracePager(journal::readTrace, first);
        List<ToolName> before = new ArrayList<>();
        int events = 0;
        int answered = 0;
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            events += page.size();
            if (events > MAX_TRACE_EVENTS) {
                return false;
            }
            for (TraceEvent event : page) {
                if (event instanceof TraceEvent.ToolStarted call) {
                    if (!fingerprinter.wouldAllowReadOnlyCall(
                            execution.tenant(),
                            execution.capability().map(use -> use.ref().toString()),
                            execution.grants(),
                            call.tool(),
                            call.arguments(),
                            List.copyOf(before))) {
                        return false;
                    }
                    before.add(call.tool());
                } else if (event instanceof TraceEvent.ToolEnded end) {
                    if (end.error().isPresent()) {
                        return false;
                    }
                    answered++;
                } else if (event instanceof TraceEvent.PolicyDecided judged) {
                    if (!judged.decision().equals("allow")) {
                        return false;
                    }
                } else if (!(event instanceof TraceEvent.StateChanged)) {
                    return false;
                }
            }
        }
        return answered == before.size();
    }

    /** Hashes everything that a result depends on, except randomness, time and the data that tools read. */
    private String resultKey(NewExecution execution) {
        InputDigest digest = new InputDigest();
        digest.add("1");
        digest.add(execution.language().name());
        digest.add(ScriptHash.of(execution.language(), execution.code()));
        // Scripts can observe the order of members, so the order counts.
        digest.add(execution.args().text());
        digest.add(execution.context().text());
        digest.add(String.join("\n", new TreeSet<>(execution.grants())));
        ExecutionLimits limits = execution.limits();
        digest.add(limits.wallMillis() + " " + limits.cpuMillis() + " " + limits.heapBytes() + " " + limits.toolCalls()
                + " " + limits.outputChars()
                + (limits.additional().isEmpty() ? "" : " " + limits.additional()));
        digest.add(execution.capability().map(use -> use.ref().toString()).orElse(null));
        digest.add(execution
                .capability()
                .flatMap(use -> use.outputSchema())
                .map(schema -> schema.text())
                .orElse(null));
        // Versions and not values, so that the stored key allows no guess at a secret.
        digest.add(execution.variables().map(PinnedVariables::versions).orElse(null));
        digest.add(fingerprinter.fingerprint(execution.tenant(), execution.grants()));
        return "sha256-" + digest.hex();
    }
}
