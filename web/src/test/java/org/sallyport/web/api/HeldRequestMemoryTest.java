package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.submission.ExecutionFactory;
import org.sallyport.submission.ScheduleService;
import org.sallyport.submission.SubmissionService;
import org.sallyport.submission.TestRunService;
import org.sallyport.tool.Json;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.security.AuthenticationFilter;

/** The memory of the bodies of requests whose work goes on after the thread of the request has returned. */
@SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject fields
class HeldRequestMemoryTest {
    private static final Configuration CONFIGURATION = Configuration.read(Map.of(), Map.of());

    private final MemoryBudgets budgets = new MemoryBudgets(0, 0);
    private final MemoryBudget budget = budgets.bodies();
    private final RequestMemory memory = new RequestMemory(budgets);
    private final StrictJsonReader json = new StrictJsonReader(CONFIGURATION, memory);
    private final HttpHeaders headers = new FakeHttpHeaders(MediaType.APPLICATION_JSON_TYPE, -1);
    private final HttpServletRequest request = new FakeHttpExchange("POST", "/").request();
    private final PendingScriptCheck check = new PendingScriptCheck();
    private final SubmissionService submissions = check.newService();
    private final List<Object> answers = new ArrayList<>();
    private final AsyncResponse response = (AsyncResponse) Proxy.newProxyInstance(
            AsyncResponse.class.getClassLoader(), new Class<?>[] {AsyncResponse.class}, (proxy, called, given) -> {
                assertThat(called.getName()).isEqualTo("resume");
                return answers.add(given[0]);
            });

    HeldRequestMemoryTest() {
        request.setAttribute(AuthenticationFilter.CALLER, new Caller("key", "t", Set.of(Role.SUBMITTER)));
    }

    /**
     * Asserts that the memory of the body is held until the work ends that the request has started.
     *
     * @param end ends the work; it fails
     */
    private void assertMemoryIsHeld(String body, Consumer<InputStream> handler, Runnable end) {
        Runnable endOfThread = memory.begin(request);
        handler.accept(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
        endOfThread.run();

        assertThat(budget.usedBytes()).isPositive();
        assertThat(answers).isEmpty();
        end.run();
        assertThat(budget.usedBytes()).isZero();
        assertThat(answers).singleElement().isInstanceOf(ProblemException.class);
    }

    @Test
    void submissionHoldsItsMemory() {
        ExecutionsResource resource = new ExecutionsResource();
        resource.submissions = submissions;
        resource.facade = new ExecutionFacade();
        resource.facade.configuration = CONFIGURATION;
        resource.responder = new ExecutionResponder();
        resource.json = json;
        resource.memory = memory;

        assertMemoryIsHeld(
                "{\"code\":\"return 1\"}",
                in -> resource.submit(in, request, headers, null, null, null, response),
                check::fail);
    }

    @Test
    void validationHoldsItsMemory() {
        ValidateResource resource = new ValidateResource();
        resource.submissions = submissions;
        resource.json = json;
        resource.memory = memory;

        assertMemoryIsHeld(
                "{\"code\":\"return 1\"}", in -> resource.validate(in, request, headers, response), check::fail);
    }

    @Test
    void requestToRunTestsHoldsItsMemory() {
        TestsResource resource = new TestsResource();
        resource.tests = new TestRunService(submissions);
        resource.configuration = CONFIGURATION;
        resource.json = json;
        resource.memory = memory;

        assertMemoryIsHeld(
                "{\"tests\":\"test('a', () => {})\"}", in -> resource.run(in, request, headers, response), check::fail);
    }

    /** The schedule is refused, so that it needs no store. */
    @Test
    @SuppressWarnings("NullAway")
    void newScheduleHoldsItsMemory() {
        SchedulesResource resource = new SchedulesResource();
        resource.schedules = new ScheduleService(
                CONFIGURATION,
                new ExecutionFactory(submissions, null),
                submissions,
                new ExecutionIdGenerator(InstantSource.system(), new Random()),
                null,
                null,
                InstantSource.system());
        resource.json = json;
        resource.memory = memory;

        assertMemoryIsHeld(
                "{\"name\":\"nightly\",\"everyMillis\":60000,\"run\":{\"code\":\"return 1\"}}",
                in -> resource.create(in, request, headers, response),
                check::fail);
    }

    @Test
    void publicationHoldsItsMemory() {
        CompletableFuture<Response> published = new CompletableFuture<>();
        CapabilitiesResource resource = new CapabilitiesResource();
        resource.publisher = new CapabilityPublisher() {
            @Override
            CompletionStage<Response> publish(
                    Caller caller, CapabilityReader.PublishCapabilityRequest wanted, Json args, Json context) {
                return published;
            }
        };
        resource.json = json;
        resource.memory = memory;

        assertMemoryIsHeld(
                "{\"name\":\"fees\",\"version\":\"1.0.0\",\"code\":\"return 1\"}",
                in -> resource.publish(in, request, headers, response),
                () -> published.completeExceptionally(
                        new ProblemException(ProblemType.TESTS_FAILED, "nothing is published")));
    }

    /** A method that passes the body on leaves this to the method that it calls. */
    @Test
    void everyAsynchronousOperationWithABodyHoldsItsMemory() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.sallyport.web");
        List<JavaMethod> operations = classes.stream()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> isAsynchronousWithBody(method.getRawParameterTypes()))
                .toList();

        assertThat(operations).hasSizeGreaterThan(5);
        assertThat(operations)
                .filteredOn(operation ->
                        operation.getMethodCallsFromSelf().stream().noneMatch(call -> holdsMemory(call.getTarget())))
                .extracting(JavaMethod::getFullName)
                .isEmpty();
    }

    private static boolean holdsMemory(MethodCallTarget called) {
        return (called.getOwner().isEquivalentTo(RequestMemory.class)
                        && called.getName().equals("holdUntilDone"))
                || isAsynchronousWithBody(called.getRawParameterTypes());
    }

    private static boolean isAsynchronousWithBody(List<JavaClass> parameters) {
        return parameters.stream().anyMatch(type -> type.isEquivalentTo(InputStream.class))
                && parameters.stream().anyMatch(type -> type.isEquivalentTo(AsyncResponse.class));
    }
}
