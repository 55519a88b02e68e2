package org.sallyport.toolgraph;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/** What some executions teach together, of each tenant and week. For one thread. */
public final class Tallies {
    private final BinaryOperator<String> redaction;
    private final Map<Term, Tally> terms = new HashMap<>();

    /** Whose, and when. */
    public record Term(String tenant, int week) {}

    /** A tool called after another. */
    public record Follow(String from, String to) implements Comparable<Follow> {
        @Override
        public int compareTo(Follow other) {
            int byFrom = from.compareTo(other.from);
            return byFrom != 0 ? byFrom : to.compareTo(other.to);
        }
    }

    /** A tool called for an intent of which this is a word. */
    public record Purpose(String word, String tool) implements Comparable<Purpose> {
        @Override
        public int compareTo(Purpose other) {
            int byWord = word.compareTo(other.word);
            return byWord != 0 ? byWord : tool.compareTo(other.tool);
        }
    }

    /** How often, how well, and for how long together. */
    public static final class Count {
        private long calls;
        private long failures;
        private long millis;
        private long begins;
        private Instant last = Instant.EPOCH;

        private void add(Lesson.Call call, Instant at) {
            calls++;
            failures += call.success() ? 0 : 1;
            millis += call.millis();
            begins += call.after().isEmpty() ? 1 : 0;
            seen(at);
        }

        private void seen(Instant at) {
            last = at.isAfter(last) ? at : last;
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

        /** How often a script began with it. */
        public long begins() {
            return begins;
        }

        public Instant last() {
            return last;
        }
    }

    /** Of one tenant and week. Sorted, so that whoever writes them does it in one order. */
    public static final class Tally {
        private final Map<String, Count> tools = new TreeMap<>();
        private final Map<Follow, Count> follows = new TreeMap<>();
        private final Map<Purpose, Count> purposes = new TreeMap<>();

        public Map<String, Count> tools() {
            return tools;
        }

        public Map<Follow, Count> follows() {
            return follows;
        }

        /** Counts executions, not calls. */
        public Map<Purpose, Count> purposes() {
            return purposes;
        }
    }

    /** @param redaction of a tenant and an intent, the intent without what must not be seen */
    public Tallies(BinaryOperator<String> redaction) {
        this.redaction = redaction;
    }

    /** Adds what an execution teaches. */
    public void add(Finished execution) {
        List<Lesson.Call> calls = Lesson.of(execution.steps());
        if (calls.isEmpty()) {
            return;
        }
        Tally tally = terms.computeIfAbsent(new Term(execution.tenant(), Week.of(execution.at())), any -> new Tally());
        Set<String> called = new HashSet<>();
        for (Lesson.Call call : calls) {
            called.add(call.tool());
            tally.tools.computeIfAbsent(call.tool(), any -> new Count()).add(call, execution.at());
            call.after()
                    .ifPresent(from -> tally.follows
                            .computeIfAbsent(new Follow(from, call.tool()), any -> new Count())
                            .add(call, execution.at()));
        }
        for (String word : words(execution)) {
            for (String tool : called) {
                Count count = tally.purposes.computeIfAbsent(new Purpose(word, tool), any -> new Count());
                count.calls++;
                count.seen(execution.at());
            }
        }
    }

    private Set<String> words(Finished execution) {
        return execution
                .intent()
                .map(intent -> IntentWords.of(redaction.apply(execution.tenant(), intent)))
                .orElse(Set.of());
    }

    public Map<Term, Tally> terms() {
        return terms;
    }
}
