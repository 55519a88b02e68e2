package org.sallyport.it.arquillian;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContainerInitializer;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.DirectoryCleanup;
import org.sallyport.it.harness.RestClient;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.tool.Json;

/** The shipped WAR on Payara Micro, with this test class added to its beans. */
@ExtendWith(ArquillianExtension.class)
class MicroDeploymentIT {
    @Inject
    ApiKeyService apiKeyService;

    @Inject
    SubmissionService submissionService;

    @Inject
    CompletionWaiter completionWaiter;

    @Inject
    ExecutionStore store;

    @Deployment
    static WebArchive application() {
        // Runs before the start of the server. An earlier build may have left the data of another schema.
        DirectoryCleanup.delete(Path.of(System.getProperty("sallyport.it.arquillian"), "data"));
        JavaArchive door = ShrinkWrap.create(JavaArchive.class, "test-door.jar")
                .addPackage(ArquillianKeyInitializer.class.getPackage())
                .deleteClass(MicroDeploymentIT.class)
                .addAsServiceProvider(ServletContainerInitializer.class, ArquillianKeyInitializer.class);
        return ShrinkWrap.createFromZipFile(
                        WebArchive.class,
                        CheckoutPaths.serverDirectory().resolve("sallyport.war").toFile())
                .addAsLibrary(door);
    }

    @Test
    void acceptedSubmissionRunsAndIsStored() throws Exception {
        Caller caller = apiKeyService
                .authenticate(ArquillianKeyInitializer.readAdminKey())
                .orElseThrow();
        Submission submission = new Submission(
                "return demo.add(args);",
                ScriptLanguage.JAVASCRIPT,
                new Json("{\"a\": 40, \"b\": 2}"),
                Json.NULL,
                RequestedLimits.NONE,
                Optional.of(List.of("demo.add")),
                Map.of("from", "inside"),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty());

        SubmissionResult receipt = submissionService
                .submit(caller, submission)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);

        SubmissionResult.SubmissionAccepted accepted =
                assertInstanceOf(SubmissionResult.SubmissionAccepted.class, receipt);
        completionWaiter.awaitEnd(accepted.id(), 30_000).toCompletableFuture().get(60, TimeUnit.SECONDS);
        Execution execution = store.find(caller.tenant(), accepted.id()).orElseThrow();
        assertEquals(ExecutionState.COMPLETED, execution.summary().state());
        assertEquals(Optional.of(new Json("42")), execution.result());
    }

    @Test
    @RunAsClient
    void clientRunsAScript(@ArquillianResource URL url) throws IOException, URISyntaxException {
        String key = Files.readString(Path.of(System.getProperty("sallyport.it.arquillian"), "data", "admin.key"))
                .strip();
        RestClient api = new RestClient(
                new URI(url.getProtocol(), null, url.getHost(), url.getPort(), null, null, null), Optional.of(key));

        JsonNode execution = api.run(org.sallyport.it.harness.SubmissionBody.javascript(
                "console.log('from outside'); return demo.add({ a: 1, b: 2 });"));

        assertEquals("COMPLETED", execution.path("state").asText(), execution.toString());
        assertEquals(3, execution.path("result").asInt());
        assertEquals("from outside\n", execution.path("output").asText());
        assertEquals(401, api.withoutKey().get(RestClient.EXECUTIONS).status());
    }
}
