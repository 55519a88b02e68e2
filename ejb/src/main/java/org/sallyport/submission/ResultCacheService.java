package org.sallyport.submission;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ResultCache;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.CallFingerprinter;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.ToolName;

/**
 * Gives executions the answers of earlier ones that asked the same and only read. Whether one may be given again is judged when it is asked for, by
 * its trace and by what holds then: nothing is noted when an execution ends. Thread-safe.
 */
public final class ResultCacheService {
    /** More is not worth being judged again. */
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

    /** The same execution, with the key that others which ask the same have, if it asks for an answer at all. */
    NewExecution withResultKey(NewExecution execution) {
        return execution.cacheOptions().maxAge().isEmpty()
                ? execution
                : execution.withCacheOptions(execution.cacheOptions().withResultKey(resultKey(execution)));
    }

    /** Stores the execution with an answer that there is; empty when there is none, and nothing is stored. */
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

    /** Whether all that an execution did was to read what it would be let read now, and nothing went wrong with that. */
    private boolean isReusable(NewExecution execution, ExecutionId first) {
        List<TraceEvent> trace = journal.readTrace(first, 0, MAX_TRACE_EVENTS + 1);
        List<ToolName> before = new ArrayList<>();
        int answered = 0;
        for (TraceEvent event : trace) {
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
        return trace.size() <= MAX_TRACE_EVENTS && answered == before.size();
    }

    /** Of all that an answer depends on but chance, time and what tools read. */
    private String resultKey(NewExecution execution) {
        MessageDigest digest = sha256();
        updateDigest(digest, "1");
        updateDigest(digest, execution.language().name());
        updateDigest(digest, ScriptHash.of(execution.language(), execution.code()));
        // Scripts see in which order members stand.
        updateDigest(digest, execution.args().text());
        updateDigest(digest, execution.context().text());
        updateDigest(digest, String.join("\n", new TreeSet<>(execution.grants())));
        ExecutionLimits limits = execution.limits();
        updateDigest(
                digest,
                limits.wallMillis() + " " + limits.cpuMillis() + " " + limits.heapBytes() + " " + limits.toolCalls()
                        + " " + limits.outputChars()
                        + (limits.additional().isEmpty() ? "" : " " + limits.additional()));
        updateDigest(
                digest, execution.capability().map(use -> use.ref().toString()).orElse(null));
        updateDigest(
                digest,
                execution
                        .capability()
                        .flatMap(use -> use.outputSchema())
                        .map(schema -> schema.text())
                        .orElse(null));
        updateDigest(digest, fingerprinter.fingerprint(execution.tenant(), execution.grants()));
        return "sha256-" + HexFormat.of().formatHex(digest.digest());
    }

    /** With its length before it: no two questions are the same bytes. */
    private static void updateDigest(MessageDigest digest, @Nullable String text) {
        digest.update((text == null ? "-;" : text.length() + ";").getBytes(StandardCharsets.US_ASCII));
        if (text != null) {
            digest.update(ScriptHash.utf16Bytes(text));
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
