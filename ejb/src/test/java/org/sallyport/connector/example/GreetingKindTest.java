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
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.LiveBackend;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;

/** The connector of the guide does what the guide says, and is the one that the guide shows. */
class GreetingKindTest {
    private final GreetingKind kind = new GreetingKind();
    private final List<String> heard = new ArrayList<>();
    private final LiveBackend.Listener listener = new LiveBackend.Listener() {
        @Override
        public void state(State state, Optional<String> error) {
            heard.add(state.name());
        }

        @Override
        public void tools(List<ToolDefinition> tools) {
            tools.forEach(tool -> heard.add(tool.name()));
        }
    };

    @Test
    void aCallIsAnsweredWithTheWordThatWasConfigured() throws Exception {
        Json settings = new Json("{\"word\":\"Servus\"}");
        try (LiveBackend backend = kind.open(
                new BackendDefinition("hi", kind.name(), settings, true, BackendDefinition.Origin.API, "1"),
                listener)) {
            backend.start();
            ToolResult result = backend.call(new LiveBackend.Call(
                            CallId.parse("0190163d-8694-739b-aea5-966c26f8ad90/1"),
                            "greet",
                            new Json("{\"name\":\"Ada\"}"),
                            true,
                            "default",
                            Instant.MAX))
                    .toCompletableFuture()
                    .get();

            assertThat(heard).containsExactly("greet", "READY");
            assertThat(result).isEqualTo(ToolResult.success(new Json("\"Servus, Ada!\"")));
        }
    }

    @Test
    void settingsThatItDoesNotKnowAreRefused() {
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json("{\"word\":\"Hi\",\"wrod\":1}"))))
                .isInstanceOf(InvalidBackendException.class);
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json("{}"))))
                .isInstanceOf(InvalidBackendException.class);
    }

    @Test
    void theGuideShowsItAsItIs() throws Exception {
        String source = Files.readString(
                Path.of("src", "test", "java", "org", "sallyport", "connector", "example", "GreetingKind.java"));
        Matcher block = Pattern.compile("```java\n(/\\*\\* Backends that greet.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "connector-java.md")));

        assertThat(block.find()).isTrue();
        assertThat(block.group(1)).isEqualTo(source.substring(source.indexOf("/** Backends that greet")));
    }
}
