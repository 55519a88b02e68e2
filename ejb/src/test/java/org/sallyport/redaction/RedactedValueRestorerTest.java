package org.sallyport.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.tool.Json;

class RedactedValueRestorerTest {
    private static final Redactor REDACTION = new Redactor(List.of("hunter2-4711", "12345678901", "other-secret"));
    private static final Json ORIGINAL = new Json("{\"to\":\"ada\",\"key\":\"Bearer "
            + "hunter2-4711\",\"n\":12345678901,\"list\":[\"hunter2-4711\",\"other-secret\"],"
            + "\"in\":{\"hunter2-4711\":1.50},\"said\":\"[redacted]\"}");

    private static Optional<String> restored(String edited) {
        return RedactedValueRestorer.restore(new Json(edited), ORIGINAL, REDACTION)
                .map(Json::text);
    }

    @Test
    void redactedValuesAreRestoredAtTheirOriginalPlace() {
        Json shown = ToolResultRedactor.redact(ORIGINAL, REDACTION);
        assertThat(shown.text()).doesNotContain("hunter2", "12345678901", "other-secret");
        assertThat(restored(shown.text())).contains(ORIGINAL.text());
        assertThat(restored("{\"to\":\"bob\",\"key\":\"Bearer [redacted]\"}"))
                .contains("{\"to\":\"bob\",\"key\":\"Bearer hunter2-4711\"}");
        assertThat(restored("{\"list\":[\"x\",\"[redacted]\"]}")).contains("{\"list\":[\"x\",\"other-secret\"]}");
    }

    @Test
    void textWithoutRedactedValuesIsUnchanged() {
        assertThat(restored("{ \"to\" : 1.00 }")).contains("{ \"to\" : 1.00 }");
        assertThat(restored("{\"said\":\"[redacted]\"}")).contains("{\"said\":\"[redacted]\"}");
        Json edited = new Json("{\"to\":\"[redacted]\"}");
        assertThat(RedactedValueRestorer.restore(edited, ORIGINAL, Redactor.NONE))
                .contains(edited);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"to\":\"[redacted]\"}",
                "{\"key\":\"[redacted]\"}",
                "{\"key\":\"Bearer [redacted]!\"}",
                "{\"new\":\"[redacted]\"}",
                "{\"list\":[\"[redacted]\"]}",
                "{\"list\":[\"[redacted]\",\"[redacted]\",\"[redacted]\"]}",
                "{\"in\":{\"x [redacted]\":1}}",
                "{\"[redacted]\":1}",
                "\"[redacted]\"",
            })
    void redactedMarkerAtANewPlaceIsNotRestored(String edited) {
        assertThat(restored(edited)).isEmpty();
    }
}
