package org.sallyport.toolgraph;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/** Aggregates the usage of several executions by tenant and week. Not thread-safe. */
public final class UsageAggregator {
    private final BinaryOperator<String> intentRedactor;
    private final Map<TenantWeek, WeeklyUsage> usageByWeek = new HashMap<>();

    /** A tenant and a week. */
    public record TenantWeek(String tenant, int week) {}

    /** A tool called after another. */
    public record TransitionKey(String from, String to) implements Comparable<TransitionKey> {
        @Override
        public int compareTo(TransitionKey other) {
            int byFrom = from.compareTo(other.from);
            return byFrom != 0 ? byFrom : to.compareTo(other.to);
        }
    }

    /** A tool called for an intent that contains the word. */
    public record IntentKey(String word, String tool) implements Comparable<IntentKey> {
        @Override
        public int compareTo(IntentKey other) {
            int byWord = word.compareTo(other.word);
            return byWord != 0 ? byWord : tool.compareTo(other.tool);
        }
    }

    /** Number of calls and failures, and total duration. */
    public static final class UsageCount {
        private long calls;
        private long failures;
        private long millis;
        private long firstCalls;
        private Instant lastUsedAt = Instant.EPOCH;

        private void add(ToolTransitions.ToolTransition call, Instant at) {
            calls++;
            failures += call.success() ? 0 : 1;
            millis += call.millis();
            firstCalls += call.previousTool().isEmpty() ? 1 : 0;
            touch(at);
        }

        private void touch(Instant at) {
            lastUsedAt = at.isAfter(lastUsedAt) ? at : lastUsedAt;
        }

        public long calls() {
            return calls;
        }

        public long failures() {
            return failures;
        }

        public long millis() {
            return millis;
        }

        /** Returns how often the tool was the first call of a script. */
        public long firstCalls() {
            return firstCalls;
        }

        public Instant lastUsedAt() {
            return lastUsedAt;
        }
    }

    /** The usage of one tenant and week. Sorted, so that all writers lock rows in the same order. */
    public static final class WeeklyUsage {
        private final Map<String, UsageCount> tools = new TreeMap<>();
        private final Map<TransitionKey, UsageCount> transitions = new TreeMap<>();
        private final Map<IntentKey, UsageCount> intents = new TreeMap<>();

        public Map<String, UsageCount> tools() {
            return tools;
        }

        public Map<TransitionKey, UsageCount> transitions() {
            return transitions;
        }

        /** Returns counts of executions, not of calls. */
        public Map<IntentKey, UsageCount> intents() {
            return intents;
        }
    }

    /** @param redaction redacts an intent; takes the tenant and the intent */
    public UsageAggregator(BinaryOperator<String> redaction) {
        this.intentRedactor = redaction;
    }

    /** Adds the usage of an execution. */
    public void add(FinishedExecution execution) {
        List<ToolTransitions.ToolTransition> calls = ToolTransitions.of(execution.steps());
        if (calls.isEmpty()) {
            return;
        }
        WeeklyUsage tally = usageByWeek.computeIfAbsent(
                new TenantWeek(execution.tenant(), WeekBucket.of(execution.finishedAt())), any -> new WeeklyUsage());
        Set<String> called = new HashSet<>();
        for (ToolTransitions.ToolTransition call : calls) {
            called.add(call.tool());
            tally.tools.computeIfAbsent(call.tool(), any -> new UsageCount()).add(call, execution.finishedAt());
            call.previousTool()
                    .ifPresent(from -> tally.transitions
                            .computeIfAbsent(new TransitionKey(from, call.tool()), any -> new UsageCount())
                            .add(call, execution.finishedAt()));
        }
        for (String word : intentWords(execution)) {
            for (String tool : called) {
                UsageCount count = tally.intents.computeIfAbsent(new IntentKey(word, tool), any -> new UsageCount());
                count.calls++;
                count.touch(execution.finishedAt());
            }
        }
    }

    private Set<String> intentWords(FinishedExecution execution) {
        return execution
                .intent()
                .map(intent -> IntentTokenizer.tokenize(intentRedactor.apply(execution.tenant(), intent)))
                .orElse(Set.of());
    }

    public Map<TenantWeek, WeeklyUsage> usageByWeek() {
        return usageByWeek;
    }
}
