package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.api.Problem;

/** The service refused a script of which we hold the source, so that the place can be shown. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final transient Optional<String> source;
    private final String name;

    Refusal(Problem problem, Optional<String> source, String name) {
        super(problem.title());
        this.problem = problem;
        this.source = source;
        this.name = name;
    }

    Problem problem() {
        return problem;
    }

    Optional<String> source() {
        return source;
    }

    String name() {
        return name;
    }
}
