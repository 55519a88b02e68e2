package org.sallyport.cli.api;

/** The service answered, and refused. */
public final class ApiProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ApiProblem problem;

    public ApiProblemException(ApiProblem problem) {
        super(problem.status() + " " + problem.title());
        this.problem = problem;
    }

    /** What the service said. */
    public ApiProblem problem() {
        return problem;
    }
}
