package org.sallyport.connector.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;

/** The connector of the guide works as the guide says, and its source equals the listing in the guide. */
class GreetingBackendTypeTest {
    private final GreetingBackendType kind = new GreetingBackendType();
    private final List<String> events = new ArrayList<>();
    private final BackendConnection.ConnectionListener listener = new BackendConnection.ConnectionListener() {
        @Override
        public void onStateChanged(BackendState state, Optional<String> error) {
            events.add(state.name());
        }

        @Override
        public void onToolsDeclared(List<ToolDefinition> tools) {
            tools.forEach(tool -> events.add(tool.name()));
        }
    };

    @Test
    void callIsAnsweredWithTheConfiguredWord() throws Exception {
        Json settings = new Json("{\"word\":\"Servus\"}");
        try (BackendConnection backend = kind.open(
                new BackendDefinition("hi", kind.name(), settings, true, BackendDefinition.BackendOrigin.API, "1"),
                listener)) {
            backend.start();
            ToolResult result = backend.call(new BackendConnection.BackendRequest(
                            CallId.parse("0190163d-8694-739b-aea5-966c26f8ad90/1"),
                            "greet",
                            new Json("{\"name\":\"Ada\"}"),
                            true,
                            "default",
                            Instant.MAX))
                    .toCompletableFuture()
                    .get();

            assertThat(events).containsExactly("greet", "READY");
            assertThat(result).isEqualTo(ToolResult.success(new Json("\"Servus, Ada!\"")));
        }
    }

    @Test
    void unknownOrMissingSettingsAreRefused() {
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json("{\"word\":\"Hi\",\"wrod\":1}"))))
                .isInstanceOf(InvalidBackendException.class);
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json("{}"))))
                .isInstanceOf(InvalidBackendException.class);
    }

    @Test
    void guideShowsTheSourceOfTheConnector() throws Exception {
        String source = Files.readString(
                Path.of("src", "test", "java", "org", "sallyport", "connector", "example", "GreetingBackendType.java"));
        Matcher block = Pattern.compile("```java\n(/\\*\\* Backends that greet.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "connector-java.md")));

        assertThat(block.find()).isTrue();
        assertThat(block.group(1)).isEqualTo(source.substring(source.indexOf("/** Backends that greet")));
    }
}
