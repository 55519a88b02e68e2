package org.sallyport.web;

/** Ends the handling of a request with a problem. */
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail());
        this.problem = problem;
    }

    public ProblemException(ProblemType type, String detail) {
        this(Problem.of(type, detail));
    }

    public Problem problem() {
        return problem;
    }
}
