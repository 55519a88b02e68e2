package org.sallyport.connector.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.demo.DemoStore;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

class DemoConnectorTest {
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final DemoStore store = (DemoStore) Proxy.newProxyInstance(
            DemoStore.class.getClassLoader(), new Class<?>[] {DemoStore.class}, (proxy, called, given) -> {
                throw new AssertionError(called + " is not needed");
            });
    private final DemoConnector demo =
            new DemoConnector(store, InstantSource.fixed(Instant.EPOCH), scheduler, Runnable::run);

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
    }

    private ToolResult add(String a, String b) {
        ToolCall call = new ToolCall(
                new CallId("e", 1),
                "t",
                new ToolName("demo", "add"),
                new Json("{\"a\":" + a + ",\"b\":" + b + "}"),
                Instant.EPOCH.plusSeconds(60));
        return demo.call(call).toCompletableFuture().join();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2, 3",
        "0.5, 0.25, 0.75",
        "9007199254740993, 0, 9007199254740993",
        "9223372036854775807, 1, 9223372036854775808",
        "1e308, -1e308, 0.0",
    })
    void sumIsANumber(String a, String b, String sum) {
        assertThat(add(a, b)).isEqualTo(new ToolResult.ToolSuccess(new Json(sum)));
    }

    /** Names, keys and mails are stored, and names of calls that fail at first stay in the memory. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            flaky             | {"name":"%s","failures":0}
            kv_get            | {"key":"%s"}
            kv_put            | {"key":"%s","value":1}
            counter_read      | {"name":"%s"}
            counter_increment | {"name":"%s"}
            counter_ledger    | {"name":"%s"}
            send_mail         | {"to":"%s","subject":"s","body":"b"}
            send_mail         | {"to":"t","subject":"%s","body":"b"}
            """)
    void namesAreBounded(String tool, String arguments) {
        ArgumentSchema schema = schema(tool);
        assertThat(schema.validationError(new Json(arguments.formatted("n".repeat(DemoTools.MAX_NAME_CHARS)))))
                .isEmpty();
        assertThat(schema.validationError(new Json(arguments.formatted("n".repeat(DemoTools.MAX_NAME_CHARS + 1)))))
                .isPresent();
    }

    @Test
    void mailsAreBounded() {
        String mail = "{\"to\":\"t\",\"subject\":\"s\",\"body\":\"%s\"}";
        assertThat(schema("send_mail").validationError(new Json(mail.formatted("b".repeat(4_096)))))
                .isEmpty();
        assertThat(schema("send_mail").validationError(new Json(mail.formatted("b".repeat(4_097)))))
                .isPresent();
    }

    private static ArgumentSchema schema(String tool) {
        return DemoTools.ALL.stream()
                .filter(spec -> spec.name().tool().equals(tool))
                .map(spec -> ArgumentSchema.compile(spec.inputSchema()))
                .findFirst()
                .orElseThrow();
    }

    /** The output schema of the tool says that each result is a number, and JSON has no infinite one. */
    @Test
    void sumThatIsNotFiniteIsAnError() {
        for (ToolResult result : new ToolResult[] {add("1e308", "1e308"), add("1e400", "1"), add("1e400", "-1e400")}) {
            assertThat(result)
                    .isInstanceOfSatisfying(
                            ToolResult.ToolFailure.class,
                            failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.TOOL_FAILED));
        }
    }
}
