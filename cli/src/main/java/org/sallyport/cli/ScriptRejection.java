package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.api.ApiProblem;

/** The service rejected a script. Holds the source if it is known, so that the message can show the position. */
final class ScriptRejection extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ApiProblem problem;
    private final transient Optional<String> source;
    private final String sourceName;

    ScriptRejection(ApiProblem problem, Optional<String> source, String name) {
        super(problem.title());
        this.problem = problem;
        this.source = source;
        this.sourceName = name;
    }

    ApiProblem problem() {
        return problem;
    }

    Optional<String> source() {
        return source;
    }

    String sourceName() {
        return sourceName;
    }
}
