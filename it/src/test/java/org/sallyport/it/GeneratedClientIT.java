package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import client.ApiClient;
import client.ApiException;
import client.ApiResponse;
import client.api.ApprovalsApi;
import client.api.BatchesApi;
import client.api.ExecutionsApi;
import client.api.ToolsApi;
import client.model.Approval;
import client.model.ApproveRequest;
import client.model.BatchSubmission;
import client.model.Execution;
import client.model.ExecutionList;
import client.model.ExecutionState;
import client.model.ExecutionSummary;
import client.model.PolicyApplied;
import client.model.Problem;
import client.model.RequestedLimits;
import client.model.ScriptLanguage;
import client.model.StateChanged;
import client.model.Submission;
import client.model.SubmitExecutionRequest;
import client.model.SubmittedBatch;
import client.model.ToolEnded;
import client.model.ToolStarted;
import client.model.TraceEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;

/**
 * Drives the service with a client that openapi-generator generates from the OpenAPI document. The test uses only
 * operations of the generated client.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GeneratedClientIT {
    private final SallyportServer server = ServerSetup.create("generated-client")
            .with("sallyport.approvals.allow-self-approval", "true")
            .launch();
    private final ApiClient client = new ApiClient();

    @BeforeAll
    void begin() {
        server.awaitReady();
        client.updateBaseUri(server.url().toString().replaceAll("/$", ""));
        String key = "Bearer " + server.adminKey();
        client.setRequestInterceptor(request -> request.header("Authorization", key));
    }

    @AfterAll
    void end() {
        server.close();
    }

    private ExecutionsApi executions() {
        return new ExecutionsApi(client);
    }

    private static Submission script(String code) {
        return new Submission().code(code);
    }

    private ApiResponse<Execution> submit(Submission submission, @Nullable String prefer) throws ApiException {
        String key = UUID.randomUUID().toString();
        return executions()
                .submitExecutionWithHttpInfo(
                        new SubmitExecutionRequest(submission), key, null, null, prefer, null, null);
    }

    private Execution run(Submission submission) throws ApiException {
        ApiResponse<Execution> answer = submit(submission, "wait=50");
        assertThat(answer.getStatusCode()).isEqualTo(200);
        return answer.getData();
    }

    private List<Object> trace(UUID id) throws ApiException {
        return executions().getExecutionTrace(id, null, null).getEvents().stream()
                .map(TraceEvent::getActualInstance)
                .toList();
    }

    private Problem problem(ApiException refusal) throws Exception {
        assertThat(refusal.getResponseHeaders().firstValue("Content-Type")).contains("application/problem+json");
        return client.getObjectMapper().readValue(refusal.getResponseBody(), Problem.class);
    }

    private static void await(String what, Callable<Boolean> so) {
        Await.until(what, Duration.ofSeconds(120), () -> {
            try {
                return so.call();
            } catch (Exception e) {
                throw new AssertionError(what, e);
            }
        });
    }

    @Test
    void clientSubmitsWaitsAndReadsTheTrace() throws Exception {
        Execution execution =
                run(script("console.log('hello'); return { sum: (await demo.add({ a: args.a, b: 2 })) as number }")
                        .language(ScriptLanguage.TYPESCRIPT)
                        .args(Map.of("a", 40))
                        .grants(List.of("demo.*"))
                        .labels(Map.of("from", "generated"))
                        .limits(new RequestedLimits().wallMillis(20_000L)));
        assertThat(execution.getState()).isEqualTo(ExecutionState.COMPLETED);
        assertThat(execution.getResult()).isEqualTo(Map.of("sum", 42));
        assertThat(execution.getOutput()).isEqualTo("hello\n");
        assertThat(execution.getLimits().getWallMillis()).isEqualTo(20_000);
        assertThat(execution.getFinishedAt()).isAfter(execution.getCreatedAt());
        assertThat(trace(execution.getId()))
                .hasAtLeastOneElementOfType(StateChanged.class)
                .hasAtLeastOneElementOfType(ToolStarted.class)
                .hasAtLeastOneElementOfType(ToolEnded.class);
    }

    @Test
    void clientListsWithFiltersPageByPage() throws Exception {
        List<String> mark = List.of("mark:" + UUID.randomUUID());
        for (int i = 0; i < 3; i++) {
            run(script("return " + i).labels(Map.of("mark", mark.get(0).substring(5))));
        }
        List<ExecutionState> states = List.of(ExecutionState.COMPLETED, ExecutionState.FAILED);
        ExecutionList page = executions()
                .listExecutions(states, null, mark, null, null, null, null, "PT1H", null, null, null, null, 2, null);
        assertThat(page.getItems()).hasSize(2);
        ExecutionList rest = executions()
                .listExecutions(
                        states, null, mark, null, null, null, null, "PT1H", null, null, null, null, 2, page.getNext());
        assertThat(rest.getItems()).extracting(ExecutionSummary::getState).containsExactly(ExecutionState.COMPLETED);
        assertThat(rest.getNext()).isNull();
    }

    @Test
    void clientSubmitsABatchAndReadsItsResults() throws Exception {
        BatchesApi batches = new BatchesApi(client);
        BatchSubmission wanted = new BatchSubmission()
                .items(List.of(Map.of("args", 1), Map.of("args", 2), Map.of("priority", 99)))
                .defaults(Map.of("code", "return [args, await demo.clock()]"))
                .shareReads(true);
        SubmittedBatch submitted =
                batches.submitBatch(wanted, null, null, null, null, null, null, null, null, null, null, null);
        assertThat(submitted.getRefused()).isEqualTo(1);
        Problem problem = submitted.getItems().get(2).getProblem();
        assertThat(problem.getDetail()).contains("priority");

        UUID id = submitted.getId();
        await("the batch has ended", () -> batches.getBatch(id).getFinished());
        assertThat(batches.getBatch(id).getCounts()).isEqualTo(Map.of("COMPLETED", 2));
        assertThat(batches.listBatchItems(id, null, null, null, null).getItems())
                .hasSize(3);
        List<Object> events = new ArrayList<>();
        for (int index = 0; index < 2; index++) {
            events.addAll(trace(submitted.getItems().get(index).getExecution()));
        }
        assertThat(events)
                .filteredOn(PolicyApplied.class::isInstance)
                .extracting(event -> ((PolicyApplied) event).getDecision())
                .containsExactly(PolicyApplied.DecisionEnum.SHARED);
    }

    @Test
    void clientApprovesAPendingCall() throws Exception {
        ApprovalsApi approvals = new ApprovalsApi(client);
        Submission mail = script("return await demo.send_mail({ to: 'ada', subject: 's', body: 'b' })");
        UUID id = submit(mail, null).getData().getId();
        List<Approval> asked = new ArrayList<>();
        await(
                "somebody is asked",
                () -> approvals.listApprovals(null, null, null).getItems().stream()
                        .filter(each -> each.getExecution().equals(id))
                        .anyMatch(asked::add));
        Approval approval = asked.get(0);
        assertThat(approval.getTool()).isEqualTo("demo.send_mail");
        assertThat(approval.getArguments()).isEqualTo(Map.of("to", "ada", "subject", "s", "body", "b"));
        Approval decided = approvals.approve(approval.getId(), new ApproveRequest().note("go on"));
        assertThat(decided.getState()).isEqualTo(Approval.StateEnum.APPROVED);
        assertThat(decided.getDecision().getNote()).isEqualTo("go on");
        await(
                "it has ended",
                () -> executions().getExecution(id, 20L, null, null, null).getState() == ExecutionState.COMPLETED);
    }

    @Test
    void clientReadsErrorsAsProblems() throws Exception {
        ApiException syntax = catchThrowableOfType(ApiException.class, () -> submit(script("return 1 +;"), null));
        assertThat(syntax.getCode()).isEqualTo(422);
        Problem where = problem(syntax);
        assertThat(where.getType()).hasToString("urn:sallyport:problem:syntax-error");
        assertThat(where.getLine()).isEqualTo(1);
        assertThat(where.getColumn()).isPositive();

        UUID none = UUID.randomUUID();
        ApiException missing =
                catchThrowableOfType(ApiException.class, () -> executions().getExecution(none, null, null, null, null));
        assertThat(missing.getCode()).isEqualTo(404);
        assertThat(problem(missing).getStatus()).isEqualTo(404);

        Execution failed = run(script("null.x"));
        assertThat(failed.getState()).isEqualTo(ExecutionState.FAILED);
        assertThat(failed.getError().getCode()).isEqualTo("script-error");
    }

    @Test
    void clientFindsTools() throws Exception {
        assertThat(new ToolsApi(client).listTools("clock", null, null).getItems())
                .anySatisfy(tool -> assertThat(tool.getName()).isEqualTo("demo.clock"));
    }
}
