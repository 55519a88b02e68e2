package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Creates the sequence diagram of {@code docs/development.md} and checks that each of its arrows is a call in the code.
 * With {@code -Dregenerate=true} it writes the diagram into the page.
 */
class CallSequenceDocumentationTest {
    private static final Path PAGE = Path.of("../docs/development.md");
    private static final String BLOCK_START = "```mermaid\n";
    private static final String BLOCK_END = "```";

    /** The calls in the order in which an execution with one tool call makes them. */
    private static final List<SequenceStep> STEPS = List.of(
            new SequenceStep("ExecutionsResource", "SubmissionService", "submit"),
            new SequenceStep("SubmissionService", "ExecutionStore", "insert"),
            new SequenceStep("SubmissionService", "JobDispatcher", "enqueue"),
            new SequenceStep("JobDispatcher", "MessageSender", "send"),
            new SequenceStep("JobListener", "ExecutionRunner", "run"),
            new SequenceStep("ExecutionRunner", "ExecutionStore", "claim"),
            new SequenceStep("ExecutionRunner", "ExecutionRun", "start"),
            new SequenceStep("ExecutionRun", "Sandbox", "start"),
            new SequenceStep("RemoteSession", "SessionListener", "onToolCall"),
            new SequenceStep("ExecutionRun", "PendingCalls", "callStarted"),
            new SequenceStep("PendingCalls", "ToolCallDispatcher", "dispatch"),
            new SequenceStep("ToolCallDispatcher", "ToolCallAuthorizer", "authorize"),
            new SequenceStep("ToolCallDispatcher", "ToolBridge", "send"),
            new SequenceStep("JmsToolBridge", "MessageSender", "send"),
            new SequenceStep("ToolRequestListener", "ToolRequestReader", "readAndDispatch"),
            new SequenceStep("ToolRequestReader", "ConnectorDispatcher", "dispatch"),
            new SequenceStep("ConnectorDispatcher", "Connector", "callWithRetry"),
            new SequenceStep("ConnectorDispatcher", "MessageSender", "send"),
            new SequenceStep("ToolReplyListener", "ToolReplyReceiver", "receive"),
            new SequenceStep("ToolReplyReceiver", "JmsToolBridge", "onReply"),
            new SequenceStep("ToolResults", "SandboxSession", "resolve"),
            new SequenceStep("RemoteSession", "SessionListener", "onEnded"),
            new SequenceStep("ExecutionRun", "RunEndWriter", "finish"),
            new SequenceStep("RunEndWriter", "Journal", "finish"));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sallyport");

    /** One call. Its source is a class with its nested classes. */
    private record SequenceStep(String source, String target, String method) {
        String arrow() {
            return "  " + source + "->>" + target + ": " + method + "\n";
        }

        boolean isCallInCode() {
            return CLASSES.stream()
                    .filter(type -> outermost(type).getSimpleName().equals(source))
                    .flatMap(type -> type.getMethodCallsFromSelf().stream())
                    .anyMatch(this::isThisCall);
        }

        private boolean isThisCall(JavaMethodCall call) {
            return call.getName().equals(method)
                    && call.getTargetOwner().getSimpleName().equals(target);
        }

        private static JavaClass outermost(JavaClass type) {
            return type.getEnclosingClass().map(SequenceStep::outermost).orElse(type);
        }
    }

    @Test
    void eachArrowIsACallInTheCode() {
        assertThat(STEPS)
                .allSatisfy(step -> assertThat(step.isCallInCode())
                        .as("%s calls %s.%s", step.source(), step.target(), step.method())
                        .isTrue());
    }

    @Test
    void pageShowsTheDiagram() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(BLOCK_START);
        int end = page.indexOf(BLOCK_END, start + BLOCK_START.length());
        String expected = page.substring(0, start) + BLOCK_START + diagram() + page.substring(end);
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/development.md is out of date; run this test with -Dregenerate=true")
                .isEqualTo(expected);
    }

    private static String diagram() {
        return STEPS.stream().map(SequenceStep::arrow).collect(Collectors.joining("", "sequenceDiagram\n", ""));
    }
}
