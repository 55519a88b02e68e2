package org.sallyport.toolgraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The transitions that are learned from the calls of one execution. */
class ToolTransitionsTest {
    /**
     * Trace notation: {@code 1+} is the start of call 1 and {@code 1-a.x} its end, followed by {@code !code} if it
     * failed and by {@code ~} if it was replayed; {@code 1m} means that a policy answered. Each result is the previous
     * tool, {@code >}, and the called tool, followed by {@code !} if the call failed.
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "nothing",
            value = {
                "'',                                                ''",
                // Sequential calls.
                "1+ 1-a.x 2+ 2-a.y 3+ 3-a.x,                        >a.x a.x>a.y a.y>a.x",
                // Concurrent calls from the start: neither follows the other, and the next call follows the last reply.
                "1+ 2+ 1-a.x 2-a.y 3+ 3-a.z,                        >a.x >a.y a.y>a.z",
                "1+ 2+ 2-a.y 1-a.x 3+ 3-a.z,                        >a.y >a.x a.x>a.z",
                // Two calls after one reply.
                "1+ 1-a.x 2+ 3+ 2-a.y 3-a.y,                        >a.x a.x>a.y a.x>a.y",
                // A failure of the tool is a reply too.
                "1+ 1-a.x!tool-failed 2+ 2-a.y,                     >a.x! a.x>a.y",
                "1+ 1-a.x!timeout,                                  >a.x!",
                "1+ 1-a.x!backend-unavailable,                      >a.x!",
                // A call that reached no tool counts for nothing, and no call follows it.
                "1+ 1-a.x 2+ 2-a.q!not-granted 3+ 3-a.y,            >a.x a.x>a.y",
                "1+ 1-a.q!tool-not-found,                           ''",
                "1+ 1-a.q!denied,                                   ''",
                "1+ 1-a.q!invalid-arguments,                        ''",
                "1+ 1-a.q!call-limit,                               ''",
                "1+ 1-a.q!journal-limit,                            ''",
                "1+ 1-a.q!budget-exceeded,                          ''",
                "1+ 1-a.q!quota-exceeded,                           ''",
                "1+ 1-a.q!egress-denied,                            ''",
                "1+ 1-a.q!capability-cycle,                         ''",
                "1+ 1-a.q!cancelled,                                ''",
                "1+ 1-a.q!tool-quarantined,                         ''",
                "1+ 1-a.q!not-recorded,                             ''",
                // Replayed from another execution, which was already learned; answered by a policy.
                "1+ 1-a.x~ 2+ 2-a.y,                                >a.y",
                "1+ 1m 1-a.x 2+ 2-a.y,                              >a.y",
                // Without an end, or without a start.
                "1+ 2+ 2-a.y,                                       >a.y",
                "1-a.x,                                             ''",
                "1+ 1-a.x 1-a.x,                                    >a.x",
                // A call of the host itself, and invalid names.
                "1+ 1-$sallyport.sleep 2+ 2-a.y,                    >a.y",
                "1+ 1-ax 2+ 2-.y 3+ 3-a.,                           ''",
                "1+ 1-capabilities.report 2+ 2-a.b.c,               >capabilities.report capabilities.report>a.b.c",
            })
    void eachCallFollowsTheLatestEarlierAnswer(String trace, String expected) {
        List<String> calls = ToolTransitions.of(steps(trace)).stream()
                .map(call -> call.previousTool().orElse("") + ">" + call.tool() + (call.success() ? "" : "!"))
                .toList();
        assertThat(String.join(" ", calls)).isEqualTo(expected);
    }

    private static List<FinishedExecution.CallStep> steps(String trace) {
        List<FinishedExecution.CallStep> steps = new ArrayList<>();
        for (String word : trace.isEmpty() ? new String[0] : trace.split(" ", -1)) {
            long call = word.charAt(0) - '0';
            String rest = word.substring(1);
            if (rest.equals("+")) {
                steps.add(new FinishedExecution.CallStarted(call));
            } else if (rest.equals("m")) {
                steps.add(new FinishedExecution.CallMocked(call));
            } else {
                int bang = rest.indexOf('!');
                boolean replayed = rest.endsWith("~");
                String tool = rest.substring(1, bang > 0 ? bang : rest.length() - (replayed ? 1 : 0));
                steps.add(new FinishedExecution.CallEnded(
                        call, tool, bang > 0 ? Optional.of(rest.substring(bang + 1)) : Optional.empty(), 7, replayed));
            }
        }
        return steps;
    }
}
