package org.sallyport.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of {@link ApiDescription} that other tests rely on. */
class ApiDescriptionTest {
    private final ApiDescription description = ApiDescription.read();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    Submission    | {"code":"1","cod":"2"}
                    Submission    | {}
                    Submission    | {"code":""}
                    Submission    | {"code":"1","priority":10}
                    Submission    | {"code":"1","limits":{"wall":1}}
                    Submission    | {"code":"1","labels":{"a":1}}
                    ExecutionList | {"items":[]}
                    ExecutionList | {"items":[],"next":1}
                    ExecutionList | {"items":null,"next":null}
                    Trace         | {"events":[{"seq":1,"type":"other","at":"2026-06-08T15:00:45Z"}],"next":null}
                    StateChanged  | {"seq":1,"type":"state","at":"yesterday","state":"RUNNING","attempt":1}
                    StateChanged  | {"seq":0,"type":"state","at":"2026-06-08T15:00:45Z","state":"RUNNING","attempt":1}
                    ExecutionCode | {"id":"17","code":""}
                    Execution     | {"id":"019ea7c0-1a2b-7000-92af-3bd76810d50e"}
                    """)
    void violationsAreFound(String schema, String json) {
        assertThat(description.violations(schema, parsed(json))).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    Submission    | {"code":"1","args":null,"context":[1]}
                    Submission    | {"code":"1","args":1.5,"limits":{},"labels":{},"grants":[]}
                    ExecutionList | {"items":[],"next":null}
                    Trace         | {"events":[],"next":5}
                    StateChanged  | {"seq":1,"type":"state","at":"2026-06-08T15:00:45Z","state":"RUNNING","attempt":1}
                    """)
    void validJsonHasNoViolations(String schema, String json) {
        assertThat(description.violations(schema, parsed(json))).isEmpty();
    }

    @Test
    void membersIncludeInheritedMembers() {
        assertThat(description.members("Execution")).contains("id", "output");
        assertThat(description.required("Execution")).contains("id", "output").doesNotContain("result");
    }

    private static JsonNode parsed(String json) {
        return ApiDescription.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
