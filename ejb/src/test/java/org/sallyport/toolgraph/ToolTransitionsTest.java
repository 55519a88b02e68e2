package org.sallyport.toolgraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is learned of the calls of one execution. */
class ToolTransitionsTest {
    /**
     * Traces are written short: {@code 1+} is the beginning of call 1, {@code 1-a.x} its end, with {@code !code} behind when it failed, {@code
     * ~} when it was repeated; {@code 1m} means that a policy answered. Calls are written as what they followed and what they called.
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "nothing",
            value = {
                "'',                                                ''",
                // One after the other.
                "1+ 1-a.x 2+ 2-a.y 3+ 3-a.x,                        >a.x a.x>a.y a.y>a.x",
                // Side by side from the beginning: neither follows the other, and what comes then follows the last
                // answer.
                "1+ 2+ 1-a.x 2-a.y 3+ 3-a.z,                        >a.x >a.y a.y>a.z",
                "1+ 2+ 2-a.y 1-a.x 3+ 3-a.z,                        >a.y >a.x a.x>a.z",
                // A fan out of one answer.
                "1+ 1-a.x 2+ 3+ 2-a.y 3-a.y,                        >a.x a.x>a.y a.x>a.y",
                // A failure of the tool is an answer too.
                "1+ 1-a.x!tool-failed 2+ 2-a.y,                     >a.x! a.x>a.y",
                "1+ 1-a.x!timeout,                                  >a.x!",
                "1+ 1-a.x!backend-unavailable,                      >a.x!",
                // What never reached one says nothing, and nothing follows it.
                "1+ 1-a.x 2+ 2-a.q!not-granted 3+ 3-a.y,            >a.x a.x>a.y",
                "1+ 1-a.q!tool-not-found,                           ''",
                "1+ 1-a.q!denied,                                   ''",
                "1+ 1-a.q!invalid-arguments,                        ''",
                "1+ 1-a.q!call-limit,                               ''",
                "1+ 1-a.q!budget-exceeded,                          ''",
                "1+ 1-a.q!quota-exceeded,                           ''",
                "1+ 1-a.q!egress-denied,                            ''",
                "1+ 1-a.q!capability-cycle,                         ''",
                "1+ 1-a.q!cancelled,                                ''",
                "1+ 1-a.q!tool-quarantined,                         ''",
                "1+ 1-a.q!not-recorded,                             ''",
                // Repeated from another execution, which has taught already; answered by a policy.
                "1+ 1-a.x~ 2+ 2-a.y,                                >a.y",
                "1+ 1m 1-a.x 2+ 2-a.y,                              >a.y",
                // Without an end, or without a beginning.
                "1+ 2+ 2-a.y,                                       >a.y",
                "1-a.x,                                             ''",
                "1+ 1-a.x 1-a.x,                                    >a.x",
                // The host's own, and what is none.
                "1+ 1-$sallyport.sleep 2+ 2-a.y,                    >a.y",
                "1+ 1-ax 2+ 2-.y 3+ 3-a.,                           ''",
                "1+ 1-capabilities.report 2+ 2-a.b.c,               >capabilities.report capabilities.report>a.b.c",
            })
    void callsFollowTheAnswerThatCameLastBeforeThem(String trace, String expected) {
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
