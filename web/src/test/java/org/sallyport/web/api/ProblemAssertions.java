package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;

/** Assertions about expected problems. */
final class ProblemAssertions {
    private static final ApiDescription DESCRIPTION = ApiDescription.read();

    private ProblemAssertions() {}

    /** The problem that ends {@code attempt}. Asserts that its body matches the API description. */
    static Problem problemOf(Callable<?> attempt) {
        ProblemException thrown = catchThrowableOfType(ProblemException.class, attempt::call);
        assertThat(thrown).as("nothing was refused").isNotNull();
        Problem problem = thrown.problem();
        assertThat(DESCRIPTION.violations("Problem", ApiDescription.parse(problem.body("/api/v1/executions"))))
                .as("%s", problem)
                .isEmpty();
        return problem;
    }

    /** The member because of which {@code attempt} is refused. */
    static String invalidMemberOf(Callable<?> attempt) {
        Problem problem = problemOf(attempt);
        assertThat(problem.type()).isEqualTo(ProblemType.VALIDATION);
        JsonNode member = problem.members().path("member");
        assertThat(problem.detail()).startsWith("'" + member.asText() + "' ");
        return member.asText();
    }
}
