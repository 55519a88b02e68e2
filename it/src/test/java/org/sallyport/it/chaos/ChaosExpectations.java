package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How the executions of a {@link ChaosLoad} must end, given the effects that happened. */
final class ChaosExpectations {
    private static final String UNKNOWN_OUTCOME = "outcome-unknown";

    private final Map<String, List<String>> callsByCounter;
    private int unknownOutcomes;

    /** @param callsByCounter the calls that incremented each counter, by its name */
    ChaosExpectations(Map<String, List<String>> callsByCounter) {
        this.callsByCounter = callsByCounter;
    }

    /** How the execution of a submission must end. */
    ExpectedEnd expectedEnd(ChaosSubmission job) {
        String output = job.script().expectedOutput();
        return new ExpectedEnd(
                execution -> findFaults(job, execution), Optional.of(output).filter(text -> !text.isEmpty()), false);
    }

    private List<String> findFaults(ChaosSubmission job, JsonNode execution) {
        List<String> faults = new ArrayList<>();
        ChaosScript script = job.script();
        String state = execution.path("state").asText();
        JsonNode error = execution.path("error");
        if (script == ChaosScript.FAILS) {
            if (!state.equals("FAILED") || !error.path("message").asText().contains("as asked " + job.number())) {
                faults.add("was to fail as asked");
            }
        } else if (script == ChaosScript.UNGUARDED
                && state.equals("FAILED")
                && error.path("code").asText().equals(UNKNOWN_OUTCOME)) {
            unknownOutcomes++;
        } else if (!state.equals("COMPLETED")) {
            faults.add("was to complete");
        } else {
            if (!script.isExpectedResult(job, execution.path("result"))) {
                faults.add("another result");
            }
            if (script.hasEffects()) {
                addEffectFaults(job, execution.path("result"), faults);
            }
            if (execution.path("cost").decimalValue().compareTo(script.expectedCost()) != 0) {
                faults.add("was to cost " + script.expectedCost());
            }
        }
        if (!faults.isEmpty()) {
            faults.add(job.toString());
        }
        return faults;
    }

    private void addEffectFaults(ChaosSubmission job, JsonNode result, List<String> faults) {
        Set<String> reported = new HashSet<>();
        result.path("made").forEach(effect -> {
            reported.add(effect.path(0).asText());
            if (effect.path(1).asInt() != 1
                    || !callsByCounter.containsKey(effect.path(0).asText())) {
                faults.add("reports an effect that is not in the ledger once: " + effect);
            }
        });
        result.path("unknown").forEach(name -> reported.add(name.asText()));
        unknownOutcomes += result.path("unknown").isEmpty() ? 0 : 1;
        if (!reported.containsAll(job.script().effectNames(job))) {
            faults.add("does not report some effects");
        }
        callsByCounter.keySet().stream()
                .filter(name -> name.startsWith(job.key()) && !reported.contains(name))
                .forEach(name -> faults.add("an effect that it does not report: " + name));
    }

    /** Number of executions that got an error because the outcome of an effect is unknown. */
    int unknownOutcomes() {
        return unknownOutcomes;
    }
}
