package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.ApiSubmissionResult;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code submit}: submits a script and prints its id, without waiting for its end. */
@Command(name = "submit", description = "Submits a script and prints the execution's id, without waiting for it.")
final class SubmitCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Mixin
    private final SubmissionOptions submission = new SubmissionOptions();

    @Option(
            names = "--cache-as",
            paramLabel = "NAME",
            description = "Save the script under this name if it completes; auto generates a name.")
    private Optional<String> cacheAs = Optional.empty();

    SubmitCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        String source = submission.readSource(sallyport.environment());
        ObjectNode body = submission.toRequestBody(source, sallyport.environment());
        cacheAs.ifPresent(name -> body.put("cacheAs", name));
        ApiSubmissionResult submitted;
        try {
            submitted = sallyport.service().api().submit(body, submission.idempotencyKey());
        } catch (ApiProblemException e) {
            throw new ScriptRejection(e.problem(), Optional.of(source), submission.sourceName());
        }
        if (sallyport.json()) {
            sallyport.printJson(submitted.execution().json());
            return ExitCode.COMPLETED.code();
        }
        String id = submitted.execution().id();
        sallyport.terminal().printResult(id);
        sallyport
                .terminal()
                .printNote(
                        submitted.replayed()
                                ? "This idempotency key was used before: the execution is "
                                        + TerminalTextEscaper.escapeLine(
                                                submitted.execution().state()) + "."
                                : "Accepted. Follow it: sallyport logs -f " + TerminalTextEscaper.escapeLine(id));
        return ExitCode.COMPLETED.code();
    }
}
