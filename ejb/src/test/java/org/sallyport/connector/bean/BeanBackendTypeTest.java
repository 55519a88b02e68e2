package org.sallyport.connector.bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.bean.Backend;
import org.sallyport.bean.RawJson;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolContext;
import org.sallyport.bean.ToolException;
import org.sallyport.connector.example.LendingLibrary;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Tools that annotated beans declare, and the results of their calls. */
class BeanBackendTypeTest {
    private final SampleToolBean sampleBean = new SampleToolBean();
    private final BeanHarness harness = new BeanHarness(sampleBean);

    enum DotColor {
        RED,
        GREEN
    }

    record ColoredDot(int x, @Nullable DotColor colour) {}

    /** Tools of many kinds. */
    @Backend("several")
    public static final class SampleToolBean {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);
        private final CountDownLatch cancelled = new CountDownLatch(1);
        private final CompletableFuture<String> coming = new CompletableFuture<>();

        @Tool("Draws.")
        public int draw(List<ColoredDot> dots, Map<String, Double> weights, @Nullable String title) {
            return dots.size() + weights.size() + (title == null ? 0 : 100);
        }

        @Tool("Breaks.")
        public String breaks() {
            throw new IllegalStateException("jdbc:secret at com.example.Inner");
        }

        @Tool("Is away.")
        public CompletionStage<String> away() {
            return CompletableFuture.failedFuture(
                    ToolException.unavailable("the printer is off").withDetails(new RawJson("{\"tray\":2}")));
        }

        @Tool("Gives any JSON.")
        public RawJson raw(RawJson value) {
            return value.text().equals("1.50") ? value : new RawJson("{} or so");
        }

        @Tool("Fails with unreadable details.")
        public void unreadable() {
            throw ToolException.unknown("who knows").withDetails(new RawJson("{"));
        }

        @Tool("Comes later.")
        public CompletionStage<String> later() {
            begun.countDown();
            return coming;
        }

        @Tool("Gives nothing, though it said something.")
        @SuppressWarnings("NullAway")
        public String nothing() {
            return null;
        }

        @Tool("Waits.")
        public void waits(ToolContext call) throws InterruptedException {
            call.onCancel(cancelled::countDown);
            call.progress("half way");
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        }

        @Tool("Says which call it is.")
        public String which(ToolContext call) {
            return call.callId() + " of " + call.tenant() + " until " + call.deadline();
        }
    }

    @AfterEach
    void close() {
        harness.close();
    }

    @Test
    void schemasMatchTheMethodSignature() throws InterruptedException {
        assertThat(harness.tool("draw").inputSchema().text())
                .isEqualTo("{\"type\":\"object\",\"properties\":{\"dots\":{\"type\":\"array\","
                        + "\"items\":{\"type\":\"object\","
                        + "\"properties\":{\"x\":{\"type\":\"integer\",\"minimum\":-2147483648,"
                        + "\"maximum\":2147483647},"
                        + "\"colour\":{\"type\":\"string\",\"enum\":[\"RED\",\"GREEN\"]}},\"required\":[\"x\"],"
                        + "\"additionalProperties\":false}},\"weights\":{\"type\":\"object\","
                        + "\"additionalProperties\":"
                        + "{\"type\":\"number\"}},\"title\":{\"type\":\"string\"}},\"required\":[\"dots\","
                        + "\"weights\"],"
                        + "\"additionalProperties\":false}");
        assertThat(harness.tool("later").outputSchema()).contains(new Json("{\"type\":\"string\"}"));
        assertThat(harness.tool("waits").outputSchema()).isEmpty();
        assertThat(harness.tool("waits").inputSchema().text()).doesNotContain("call");
    }

    @Test
    void argumentsAreConvertedToTheParameterTypes() {
        assertThat(harness.call("draw", "{\"dots\":[{\"x\":5.0,\"colour\":\"RED\"},{\"x\":1}],\"weights\":{\"a\":1}}"))
                .isEqualTo(ToolResult.success(new Json("3")));
        assertThat(harness.call("which", "{}"))
                .isEqualTo(ToolResult.success(new Json("\"e/2 of acme until 2026-01-01T00:01:00Z\"")));
    }

    @Test
    void invalidArgumentIsRefusedWithItsPath() {
        Map.of(
                        "{\"dots\":[{\"x\":1},{\"x\":\"a\"}],\"weights\":{}}",
                        "arguments.dots[1].x must be a whole number",
                        "{\"dots\":[{\"x\":1,\"colour\":\"BLUE\"}],\"weights\":{}}",
                        "arguments.dots[0].colour must be one of RED, GREEN",
                        "{\"dots\":[{\"x\":1e99999}],\"weights\":{}}",
                        "arguments.dots[0].x must be a whole number",
                        "{\"dots\":[],\"weights\":{\"a\":null}}",
                        "arguments.weights.a must be a number",
                        "{\"dots\":[]}",
                        "arguments.weights is missing",
                        "{\"dots\":[],\"weights\":{},\"z\":1}",
                        "arguments.z is not known",
                        "[]",
                        "arguments must be an object")
                .forEach((arguments, reason) -> {
                    ToolResult.ToolFailure failure = (ToolResult.ToolFailure) harness.call("draw", arguments);
                    assertThat(failure.error().code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
                    assertThat(failure.error().message()).contains(reason);
                });
    }

    @Test
    void unexpectedExceptionIsNotDisclosed() {
        ToolResult unexpected = ToolResult.failure(ToolErrorCode.TOOL_FAILED, "'breaks' failed unexpectedly");
        assertThat(harness.call("breaks", "{}")).isEqualTo(unexpected);
        assertThat(harness.call("nothing", "{}"))
                .isEqualTo(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "'nothing' failed unexpectedly"));
    }

    @Test
    void declaredToolFailureIsReturned() {
        ToolResult.ToolFailure failure = (ToolResult.ToolFailure) harness.call("away", "{}");
        assertThat(failure.error().code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(failure.error().message()).isEqualTo("the printer is off");
        assertThat(failure.error().details()).contains(new Json("{\"tray\":2}"));
    }

    @Test
    void rawJsonMustBeValid() throws InterruptedException {
        assertThat(harness.tools().stream().filter(tool -> tool.name().equals("raw")))
                .allSatisfy(tool -> assertThat(tool.outputSchema()).isEmpty());
        assertThat(harness.call("raw", "{\"value\":1.50}")).isEqualTo(ToolResult.success(new Json("1.50")));
        assertThat(harness.call("raw", "{\"value\":2}"))
                .isEqualTo(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "'raw' failed unexpectedly"));
        assertThat(harness.call("unreadable", "{}"))
                .isEqualTo(ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, "who knows"));
    }

    @Test
    void pendingStageBlocksNoThread() throws Exception {
        BeanHarness.PendingBeanCall call = harness.startCall("later", "{}");
        assertThat(sampleBean.begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(call.result()).isNotDone();
        sampleBean.coming.complete("now");
        assertThat(call.await()).isEqualTo(ToolResult.success(new Json("\"now\"")));
    }

    @Test
    void cancelInterruptsABlockedMethod() throws Exception {
        BeanHarness.PendingBeanCall call = harness.startCall("waits", "{}");
        assertThat(sampleBean.begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(harness.backend().lastProgress(call.id())).contains("half way");
        harness.backend().cancel(call.id());
        assertThat(sampleBean.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(sampleBean.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(call.await())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.CANCELLED));
        harness.backend().cancel(call.id());
    }

    @Test
    void cancelCancelsTheStage() throws Exception {
        BeanHarness.PendingBeanCall call = harness.startCall("later", "{}");
        assertThat(sampleBean.begun.await(60, TimeUnit.SECONDS)).isTrue();
        harness.backend().cancel(call.id());
        call.await();
        assertThat(sampleBean.coming)
                .satisfies(coming -> assertThatThrownBy(() -> coming.get(60, TimeUnit.SECONDS))
                        .isInstanceOf(java.util.concurrent.CancellationException.class));
    }

    /** A bean in which no method can be a tool. */
    @Backend("java")
    static final class InvalidToolBean {
        @Tool("Takes what has no shape.")
        public void date(Date when) {}

        @Tool("Cannot be seen.")
        void hidden() {}

        @Tool(value = "Reads and destroys.", readOnly = true, destructive = true)
        public void both() {}

        @Tool(value = "Has no name.", name = "a b")
        public void named() {}

        @Tool("")
        public void silent() {}

        @Tool("Is there.")
        public void twice(int one) {}

        @Tool("Is there again.")
        public void twice(String one) {}
    }

    @Backend("Several")
    static final class DuplicateNameBean {}

    @Test
    void invalidBeansStopTheStartWithAllProblems() {
        assertThatThrownBy(() -> new BeanBackendType(
                        List.of(
                                new BackendBean(InvalidToolBean.class, Optional.empty(), InvalidToolBean::new),
                                new BackendBean(
                                        DuplicateNameBean.class, Optional.of("second.jar"), DuplicateNameBean::new)),
                        Set.of("several"),
                        ForkJoinPool.commonPool()))
                .isInstanceOf(InvalidBeansException.class)
                .message()
                .contains(
                        "InvalidToolBean: the name of a backend must not be 'java'",
                        "InvalidToolBean.date: when has the type java.util.Date; known are text",
                        "InvalidToolBean.hidden: the method must be public",
                        "InvalidToolBean.both: the annotation @Tool is both",
                        "InvalidToolBean.named: the name 'a b' must be",
                        "InvalidToolBean.silent: the description is empty",
                        "InvalidToolBean.twice: a tool 'twice' already exists",
                        "second.jar: " + DuplicateNameBean.class.getName()
                                + ": a backend 'Several' already exists: the application itself; rename or remove",
                        "DuplicateNameBean: has no method with @Tool");
    }

    @Test
    void beanOfTheGuideWorksAndMatchesItsListing() throws Exception {
        try (BeanHarness library = new BeanHarness(new LendingLibrary())) {
            library.call("lend", "{\"book\":\"Emma\",\"reader\":\"Ada\",\"due\":\"2026-02-01\"}");
            assertThat(library.call("loans", "{\"reader\":\"Ada\"}"))
                    .isEqualTo(ToolResult.success(
                            new Json("[{\"book\":\"Emma\",\"reader\":\"Ada\",\"due\":\"2026-02-01\"}]")));
            assertThat(library.call("lend", "{\"book\":\"Emma\",\"reader\":\"Bob\"}"))
                    .isEqualTo(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "another reader has it"));
        }
        String source = Files.readString(
                Path.of("src", "test", "java", "org", "sallyport", "connector", "example", "LendingLibrary.java"));
        assertThat(Files.readString(Path.of("..", "docs", "connector-java.md")))
                .contains(source.substring(source.indexOf("/** Books")));
    }
}
