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

/** Holds what callers were promised, what executions tell, what tools were called, and what the database has, against each other. */
final class Comparison {
    private static final String AT_MOST_ONCE = " demo.counter_increment";
    private static final String UNKNOWN = "outcome-unknown";

    private final Map<String, Job> accepted;
    private final Books books;
    private final List<String> faults = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private final List<String> doubled = new ArrayList<>();
    private int unknown;

    /** @param calls every call that a connector was given, as often as it was */
    Comparison(Map<String, Job> accepted, Books books, List<String> calls) {
        this.accepted = accepted;
        this.books = books;
        accepted.keySet().stream().filter(id -> !books.states().containsKey(id)).forEach(lost::add);
        books.states().keySet().stream()
                .filter(id -> !accepted.containsKey(id))
                .forEach(id -> doubled.add("execution " + id + " that nobody was told of"));
        calls(calls);
    }

    private void calls(List<String> calls) {
        Map<String, Integer> times = new LinkedHashMap<>();
        calls.forEach(call -> times.merge(call, 1, Integer::sum));
        times.forEach((call, often) -> {
            if (often > 1 && call.endsWith(AT_MOST_ONCE)) {
                doubled.add("call " + call + ", " + often + " times");
            }
        });
        books.counts().forEach((name, total) -> {
            if (total != 1) {
                doubled.add("effect " + name + ", " + total + " times");
            }
        });
    }

    /** An execution as it ended. */
    void ended(String id, JsonNode execution) {
        Job job = Objects.requireNonNull(accepted.get(id));
        List<String> wrong = new ArrayList<>();
        String state = execution.path("state").asText();
        String code = execution.path("error").path("code").asText();
        if (job.kind() == Kind.FAILS) {
            if (!state.equals("FAILED")
                    || !execution.path("error").path("message").asText().contains("as asked " + job.n())) {
                wrong.add("was to fail as asked");
            }
        } else if (job.kind() == Kind.UNGUARDED && state.equals("FAILED") && code.equals(UNKNOWN)) {
            unknown++;
            return;
        } else if (!state.equals("COMPLETED")) {
            wrong.add("was to complete");
        } else if (job.kind().counts()) {
            effects(job, execution.path("result"), wrong);
        } else if (!job.kind().isResult(job, execution.path("result"))) {
            wrong.add("another result");
        }
        if (!job.kind().output().isEmpty()
                && !execution.path("output").asText().equals(job.kind().output())) {
            wrong.add("another output");
        }
        if (!wrong.isEmpty()) {
            faults.add(wrong + " " + job + " " + execution);
        }
    }

    private void effects(Job job, JsonNode result, List<String> wrong) {
        Set<String> told = new HashSet<>();
        result.path("made").forEach(made -> {
            told.add(made.path(0).asText());
            if (made.path(1).asInt() != 1
                    || !books.ledger().containsKey(made.path(0).asText())) {
                wrong.add("told of an effect that is not in the ledger once: " + made);
            }
        });
        result.path("unknown").forEach(name -> told.add(name.asText()));
        unknown += result.path("unknown").isEmpty() ? 0 : 1;
        if (!told.containsAll(job.kind().effects(job))) {
            wrong.add("says nothing of some effects");
        }
        books.ledger().keySet().stream()
                .filter(name -> name.startsWith(job.key()) && !told.contains(name))
                .forEach(name -> wrong.add("an effect that it does not tell of: " + name));
    }

    /** Executions that looked otherwise after they had ended. */
    static List<String> changed(List<Books> earlier, Books last) {
        Map<String, String> changed = new HashMap<>();
        for (Books before : earlier) {
            before.ended().forEach((id, was) -> {
                if (!was.equals(last.ended().get(id))) {
                    changed.putIfAbsent(
                            id, id + " was\n" + was + "and is\n" + last.ended().get(id));
                }
            });
        }
        return List.copyOf(changed.values());
    }

    List<String> faults() {
        return faults;
    }

    List<String> lost() {
        return lost;
    }

    List<String> doubled() {
        return doubled;
    }

    /** Executions that were told of an effect of which nobody knows whether it happened. */
    int unknown() {
        return unknown;
    }
}
