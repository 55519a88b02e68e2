package org.sallyport.cli.api;

/** The service answered, and refused. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.status() + " " + problem.title());
        this.problem = problem;
    }

    /** What the service said. */
    public Problem problem() {
        return problem;
    }
}
