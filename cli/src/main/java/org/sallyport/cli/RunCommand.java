package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run}: submits a script and shows its output while it runs, then the result and the trace. */
@Command(
        name = "run",
        description = {
            "Runs a script and shows its output, its result and its trace.",
            "Starts the service on this machine if none answers. Ctrl-C cancels the execution."
        })
final class RunCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Mixin
    private final SubmissionOptions submission = new SubmissionOptions();

    @Mixin
    private final ForegroundRun run = new ForegroundRun();

    @Option(
            names = "--cache-as",
            paramLabel = "NAME",
            description = "Save the script under this name if it completes; auto generates a name.")
    private Optional<String> cacheAs = Optional.empty();

    RunCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        String source = submission.readSource(sallyport.environment());
        ObjectNode body = submission.toRequestBody(source, sallyport.environment());
        cacheAs.ifPresent(name -> body.put("cacheAs", name));
        return run.runToEnd(sallyport, body, submission, Optional.of(source), submission.sourceName());
    }
}
