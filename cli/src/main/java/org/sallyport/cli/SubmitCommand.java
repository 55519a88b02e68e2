package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.Submitted;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code submit}: accepted is enough, the id comes back. */
@Command(name = "submit", description = "Submits a script and prints the execution's id, without waiting for it.")
final class SubmitCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Mixin
    private final Submission submission = new Submission();

    SubmitCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        String source = submission.source(sallyport.surroundings());
        ObjectNode body = submission.body(source, sallyport.surroundings());
        Submitted submitted;
        try {
            submitted = sallyport.service().api().submit(body, submission.idempotencyKey());
        } catch (ProblemException e) {
            throw new Refusal(e.problem(), Optional.of(source), submission.name());
        }
        if (sallyport.json()) {
            sallyport.answer(submitted.execution().json());
            return Exit.COMPLETED.code();
        }
        String id = submitted.execution().id();
        sallyport.terminal().answer(id);
        sallyport
                .terminal()
                .note(
                        submitted.replayed()
                                ? "This idempotency key was used before: the execution is "
                                        + Visible.line(submitted.execution().state()) + "."
                                : "Accepted. Follow it: sallyport logs -f " + Visible.line(id));
        return Exit.COMPLETED.code();
    }
}
