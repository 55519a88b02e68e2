package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.submission.TestRunService;
import org.sallyport.tool.Json;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Publishes a version of a capability after validating its script and running its tests. */
@ApplicationScoped
public class CapabilityPublisher {
    private static final int TEST_PRIORITY = 4;

    @Inject
    CapabilityStore store;

    @Inject
    CapabilityContractChecker contracts;

    @Inject
    SubmissionService submissions;

    @Inject
    TestRunService tests;

    @Inject
    ExecutionResponder responder;

    @Inject
    Configuration configuration;

    @Inject
    VariablePinner variables;

    @Inject
    RequiredToolCheck requiredTools;

    @Inject
    CapabilitySandboxPolicy sandboxes;

    /** Publishes the version after its tests pass; the tests get no input. */
    CompletionStage<Response> publish(Caller caller, CapabilityReader.PublishCapabilityRequest wanted) {
        return publish(caller, wanted, Json.EMPTY_OBJECT, Json.EMPTY_OBJECT);
    }

    /**
     * Publishes the version after its tests pass.
     *
     * @param args the arguments with which the tests run
     * @param context the context with which the tests run
     */
    CompletionStage<Response> publish(
            Caller caller, CapabilityReader.PublishCapabilityRequest wanted, Json args, Json context) {
        Optional<Response> earlier = findPublished(caller, wanted)
                .map(known -> Response.ok(CapabilityMapper.details(known)).build());
        return earlier.<CompletionStage<Response>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> validate(caller, wanted, args, context).thenApply(run -> store(caller, wanted, run)));
    }

    /**
     * The version if it is already published; its content must be the same as the requested one.
     *
     * @throws ProblemException if the content differs
     */
    private Optional<Capability> findPublished(Caller caller, CapabilityReader.PublishCapabilityRequest wanted) {
        Optional<Capability> known = store.find(caller.tenant(), wanted.name(), wanted.version());
        if (known.isPresent() && !known.get().hash().equals(wanted.content().hash(wanted.name(), wanted.version()))) {
            throw new ProblemException(Problem.of(
                    ProblemType.VERSION_EXISTS,
                    "'" + known.get().ref() + "' is published and is never changed; publish another version",
                    members -> members.put("hash", known.get().hash())));
        }
        return known;
    }

    /** Validates the script and runs its tests. Returns the execution of the tests; empty if there are no tests. */
    private CompletionStage<Optional<ExecutionId>> validate(
            Caller caller, CapabilityReader.PublishCapabilityRequest wanted, Json args, Json context) {
        requireSandbox(caller, wanted);
        requireTools(caller, wanted);
        Submission script = submission(wanted, args, context).withVariables(pinVariables(caller, wanted));
        if (wanted.content().tests().isEmpty()) {
            return submissions.check(caller, script).thenApply(refusal -> {
                refusal.ifPresent(receipt -> {
                    throw new ProblemException(SubmissionProblems.toProblem(receipt));
                });
                return Optional.empty();
            });
        }
        return tests.submit(caller, script, wanted.content().tests().get()).thenCompose(receipt -> {
            if (!(receipt instanceof SubmissionResult.SubmissionAccepted accepted)) {
                throw new ProblemException(SubmissionProblems.toProblem(receipt));
            }
            return responder
                    .waitWithinLimit(
                            caller,
                            accepted.id(),
                            configuration.get(LimitSettings.MAX_WAIT).toMillis())
                    .thenApply(this::requirePassed);
        });
    }

    /** @throws ProblemException if the version asks for a sandbox that is not allowed, or not to this caller */
    private void requireSandbox(Caller caller, CapabilityReader.PublishCapabilityRequest wanted) {
        Optional<CapabilitySandbox> sandbox = wanted.content().sandbox();
        sandboxes.refusalReason(caller.tenant(), sandbox).ifPresent(reason -> {
            throw new ProblemException(SubmissionProblems.sandboxNotAllowed("nothing is published", reason));
        });
        if (sandbox.filter(CapabilitySandbox.IN_PROCESS::equals).isPresent()
                && !caller.roles().contains(Role.ADMIN)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "only an admin may publish a capability that runs in the process of the server");
        }
    }

    /** @throws ProblemException if tools that the version names do not exist */
    private void requireTools(Caller caller, CapabilityReader.PublishCapabilityRequest wanted) {
        List<MissingTool> missing =
                requiredTools.findMissing(caller.tenant(), wanted.content().tools());
        if (!missing.isEmpty()) {
            throw new ProblemException(SubmissionProblems.toolsMissing("nothing is published", missing));
        }
    }

    /**
     * The present values of the declared variables, which the tests see.
     *
     * @throws ProblemException if some of them have no value, or they are too large together
     */
    private Optional<PinnedVariables> pinVariables(Caller caller, CapabilityReader.PublishCapabilityRequest wanted) {
        PinResult pinned = variables.pin(caller.tenant(), wanted.content().env());
        if (pinned instanceof PinResult.VariablesUnset missing) {
            throw new ProblemException(SubmissionProblems.variablesNotSet("nothing is published", missing.unset()));
        } else if (pinned instanceof PinResult.VariablesOversized large) {
            throw new ProblemException(SubmissionProblems.variablesTooLarge("nothing is published", large.maxChars()));
        }
        return ((PinResult.VariablesPinned) pinned).variables();
    }

    private Submission submission(CapabilityReader.PublishCapabilityRequest wanted, Json args, Json context) {
        return new Submission(
                wanted.content().code(),
                wanted.content().language(),
                args,
                context,
                TestReader.limits(RequestedLimits.NONE, configuration),
                Optional.of(List.of()),
                Map.of(),
                TEST_PRIORITY,
                DebugMode.NONE,
                Durability.NONE,
                Optional.of("tests of " + wanted.name() + "@" + wanted.version()),
                Optional.empty());
    }

    private Optional<ExecutionId> requirePassed(Execution run) {
        ObjectNode report = TestReport.of(run, responder.represent(run, 0, 0));
        if (!report.path("success").booleanValue()) {
            throw new ProblemException(Problem.of(
                    ProblemType.TESTS_FAILED,
                    run.state().isTerminal()
                            ? "nothing is published: its tests do not pass"
                            : "nothing is published: its tests have not ended in time",
                    members -> members.set("report", report)));
        }
        return Optional.of(run.id());
    }

    private Response store(Caller caller, CapabilityReader.PublishCapabilityRequest wanted, Optional<ExecutionId> run) {
        boolean first = store.publish(new NewCapability(
                caller.tenant(),
                wanted.name(),
                wanted.version(),
                wanted.content(),
                contracts.schemaHashes(caller.tenant(), wanted.content().tools()),
                caller.id(),
                run));
        Capability capability = findPublished(caller, wanted)
                .orElseThrow(() -> new IllegalStateException("the published version is not in the store"));
        Response.ResponseBuilder response =
                first ? Response.created(URI.create(CapabilityMapper.path(capability))) : Response.ok();
        return response.entity(CapabilityMapper.details(capability)).build();
    }
}
