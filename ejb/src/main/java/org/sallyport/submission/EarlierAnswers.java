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
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Limits;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ResultCache;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Grounds;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.ToolName;

/**
 * Gives executions the answers of earlier ones that asked the same and only read. Whether one may be given again is judged when it is asked for, by
 * its trace and by what holds then: nothing is noted when an execution ends. Thread-safe.
 */
public final class EarlierAnswers {
    /** More is not worth being judged again. */
    private static final int LONGEST_TRACE = 500;

    private static final int LOOKED_AT = 3;

    private final ResultCache results;
    private final Journal journal;
    private final Grounds grounds;

    public EarlierAnswers(ResultCache results, Journal journal, Grounds grounds) {
        this.results = results;
        this.journal = journal;
        this.grounds = grounds;
    }

    /** The same execution, with the key that others which ask the same have, if it asks for an answer at all. */
    NewExecution keyed(NewExecution execution) {
        return execution.reuse().maxAge().isEmpty()
                ? execution
                : execution.reusing(execution.reuse().keyed(key(execution)));
    }

    /** Stores the execution with an answer that there is; empty when there is none, and nothing is stored. */
    Optional<Acceptance> answer(NewExecution execution) {
        Optional<String> key = execution.reuse().resultKey();
        if (key.isEmpty()) {
            return Optional.empty();
        }
        Duration maxAge = execution.reuse().maxAge().orElse(Duration.ZERO);
        for (ExecutionId first : results.completed(execution.tenant(), key.get(), maxAge, LOOKED_AT)) {
            if (onlyRead(execution, first)) {
                Optional<Acceptance> answered =
                        results.answer(execution.reusing(execution.reuse().answeredBy(first)), first);
                if (answered.isPresent()) {
                    return answered;
                }
            }
        }
        return Optional.empty();
    }

    /** Whether all that an execution did was to read what it would be let read now, and nothing went wrong with that. */
    private boolean onlyRead(NewExecution execution, ExecutionId first) {
        List<TraceEvent> trace = journal.trace(first, 0, LONGEST_TRACE + 1);
        List<ToolName> before = new ArrayList<>();
        int answered = 0;
        for (TraceEvent event : trace) {
            if (event instanceof TraceEvent.ToolStarted call) {
                if (!grounds.hold(
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
            } else if (event instanceof TraceEvent.Judged judged) {
                if (!judged.decision().equals("allow")) {
                    return false;
                }
            } else if (!(event instanceof TraceEvent.StateChanged)) {
                return false;
            }
        }
        return trace.size() <= LONGEST_TRACE && answered == before.size();
    }

    /** Of all that an answer depends on but chance, time and what tools read. */
    private String key(NewExecution execution) {
        MessageDigest digest = sha256();
        add(digest, "1");
        add(digest, execution.language().name());
        add(digest, ScriptHash.of(execution.language(), execution.code()));
        // Scripts see in which order members stand.
        add(digest, execution.args().text());
        add(digest, execution.context().text());
        add(digest, String.join("\n", new TreeSet<>(execution.grants())));
        Limits limits = execution.limits();
        add(
                digest,
                limits.wallMillis() + " " + limits.cpuMillis() + " " + limits.heapBytes() + " " + limits.toolCalls()
                        + " " + limits.outputChars()
                        + (limits.further().isEmpty() ? "" : " " + limits.further()));
        add(digest, execution.capability().map(use -> use.ref().toString()).orElse(null));
        add(
                digest,
                execution
                        .capability()
                        .flatMap(use -> use.outputSchema())
                        .map(schema -> schema.text())
                        .orElse(null));
        add(digest, grounds.fingerprint(execution.tenant(), execution.grants()));
        return "sha256-" + HexFormat.of().formatHex(digest.digest());
    }

    /** With its length before it: no two questions are the same bytes. */
    private static void add(MessageDigest digest, @Nullable String text) {
        digest.update((text == null ? "-;" : text.length() + ";").getBytes(StandardCharsets.US_ASCII));
        if (text != null) {
            digest.update(ScriptHash.bytes(text));
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
