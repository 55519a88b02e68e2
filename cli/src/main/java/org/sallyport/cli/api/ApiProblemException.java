package org.sallyport.cli.api;

/** The service rejected a request with a problem. */
public final class ApiProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ApiProblem problem;

    public ApiProblemException(ApiProblem problem) {
        super(problem.status() + " " + problem.title());
        this.problem = problem;
    }

    /** Returns the problem in the response. */
    public ApiProblem problem() {
        return problem;
    }
}
