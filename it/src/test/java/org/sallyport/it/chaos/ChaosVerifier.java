package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Compares the promises that callers received, the executions, the calls that connectors received, and the content of
 * the database with each other.
 */
final class ChaosVerifier {
    private static final String AT_MOST_ONCE = " demo.counter_increment";
    private static final String UNKNOWN_OUTCOME = "outcome-unknown";

    private final Map<String, ChaosSubmission> accepted;
    private final DatabaseSnapshot snapshot;
    private final List<String> wrongResults = new ArrayList<>();
    private final List<String> lostExecutions = new ArrayList<>();
    private final List<String> duplicates = new ArrayList<>();
    private int unknownOutcomes;

    /** @param calls every call that a connector received, with repetitions */
    ChaosVerifier(Map<String, ChaosSubmission> accepted, DatabaseSnapshot books, List<String> calls) {
        this.accepted = accepted;
        this.snapshot = books;
        accepted.keySet().stream().filter(id -> !books.states().containsKey(id)).forEach(lostExecutions::add);
        books.states().keySet().stream()
                .filter(id -> !accepted.containsKey(id))
                .forEach(id -> duplicates.add("execution " + id + " that no client knows"));
        checkCalls(calls);
    }

    private void checkCalls(List<String> calls) {
        Map<String, Integer> times = new LinkedHashMap<>();
        calls.forEach(call -> times.merge(call, 1, Integer::sum));
        times.forEach((call, often) -> {
            if (often > 1 && call.endsWith(AT_MOST_ONCE)) {
                duplicates.add("call " + call + ", " + often + " times");
            }
        });
        snapshot.counterTotals().forEach((name, total) -> {
            if (total != 1) {
                duplicates.add("effect " + name + ", " + total + " times");
            }
        });
    }

    /** Checks one execution that has ended. */
    void checkExecution(String id, JsonNode execution) {
        ChaosSubmission job = Objects.requireNonNull(accepted.get(id));
        List<String> wrong = new ArrayList<>();
        String state = execution.path("state").asText();
        String code = execution.path("error").path("code").asText();
        if (job.script() == ChaosScript.FAILS) {
            if (!state.equals("FAILED")
                    || !execution.path("error").path("message").asText().contains("as asked " + job.number())) {
                wrong.add("was to fail as asked");
            }
        } else if (job.script() == ChaosScript.UNGUARDED && state.equals("FAILED") && code.equals(UNKNOWN_OUTCOME)) {
            unknownOutcomes++;
            return;
        } else if (!state.equals("COMPLETED")) {
            wrong.add("was to complete");
        } else if (job.script().hasEffects()) {
            checkEffects(job, execution.path("result"), wrong);
        } else if (!job.script().isExpectedResult(job, execution.path("result"))) {
            wrong.add("another result");
        }
        if (!job.script().expectedOutput().isEmpty()
                && !execution.path("output").asText().equals(job.script().expectedOutput())) {
            wrong.add("another output");
        }
        if (!wrong.isEmpty()) {
            wrongResults.add(wrong + " " + job + " " + execution);
        }
    }

    private void checkEffects(ChaosSubmission job, JsonNode result, List<String> wrong) {
        Set<String> reported = new HashSet<>();
        result.path("made").forEach(effect -> {
            reported.add(effect.path(0).asText());
            if (effect.path(1).asInt() != 1
                    || !snapshot.callsByCounter().containsKey(effect.path(0).asText())) {
                wrong.add("told of an effect that is not in the ledger once: " + effect);
            }
        });
        result.path("unknown").forEach(name -> reported.add(name.asText()));
        unknownOutcomes += result.path("unknown").isEmpty() ? 0 : 1;
        if (!reported.containsAll(job.script().effectNames(job))) {
            wrong.add("says nothing of some effects");
        }
        snapshot.callsByCounter().keySet().stream()
                .filter(name -> name.startsWith(job.key()) && !reported.contains(name))
                .forEach(name -> wrong.add("an effect that it does not tell of: " + name));
    }

    /** Finds executions that changed after they had ended. */
    static List<String> findChanges(List<DatabaseSnapshot> earlier, DatabaseSnapshot last) {
        Map<String, String> changed = new HashMap<>();
        for (DatabaseSnapshot before : earlier) {
            before.endedExecutions().forEach((id, was) -> {
                if (!was.equals(last.endedExecutions().get(id))) {
                    changed.putIfAbsent(
                            id,
                            id + " was\n" + was + "and is\n"
                                    + last.endedExecutions().get(id));
                }
            });
        }
        return List.copyOf(changed.values());
    }

    List<String> wrongResults() {
        return wrongResults;
    }

    List<String> lostExecutions() {
        return lostExecutions;
    }

    List<String> duplicates() {
        return duplicates;
    }

    /** Number of executions that got an error because the outcome of an effect is unknown. */
    int unknownOutcomes() {
        return unknownOutcomes;
    }
}
