package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.artifact.Artifact;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class HostCallTraceTest {
    private static final ToolName HOST = new ToolName(HostServices.BACKEND, HostServices.ARTIFACT_WRITE);

    @Test
    void contentHashDistinguishesArtifacts() {
        Json one = new Json("{\"name\":\"a\",\"kind\":\"text\",\"data\":\"aGk=\"}");
        Json two = new Json("{\"name\":\"a\",\"kind\":\"text\",\"data\":\"aGo=\"}");
        assertThat(HostCallTrace.withContentHash(HOST, one))
                .isEqualTo(HostCallTrace.withContentHash(HOST, one))
                .isNotEqualTo(HostCallTrace.withContentHash(HOST, two));
        assertThat(HostCallTrace.withContentHash(HOST, one).text())
                .contains("sha256")
                .doesNotContain("aGk");
    }

    @Test
    void traceContainsNoArtifactContent() {
        String data = "x".repeat(2_000);
        assertThat(HostCallTrace.withoutContent(
                        HOST, new Json("{\"name\":\"a\",\"kind\":\"text\",\"data\":\"" + data + "\"}")))
                .isEqualTo(new Json("{\"name\":\"a\",\"kind\":\"text\"}"));
        assertThat(HostCallTrace.withoutContent(HOST, new Json("{\"name\":\"a\",\"kind\":\"text\",\"data\":\"aGk=\"}")))
                .isEqualTo(new Json("{\"name\":\"a\",\"kind\":\"text\"}"));
        Json event = new Json("{\"seq\":1,\"name\":\"e\",\"data\":\"" + data + "\"}");
        assertThat(HostCallTrace.withoutContent(HOST, event)).isEqualTo(event);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/csv", "application/vnd.api+json", "text/plain; charset=UTF-8", "IMAGE/png"})
    void validMediaTypeIsKept(String type) {
        assertThat(MediaTypes.validate(type)).isEqualToIgnoringCase(type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "text",
                "text/",
                "/csv",
                "text/ht ml",
                "text/html\r\nX: y",
                "a/b/c",
                "text/html;\u0000",
                "text/html; x=\"y\""
            })
    void invalidMediaTypeIsRefused(String type) {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> MediaTypes.validate(type))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"TEXT, text/plain; charset=utf-8", "JSON, application/json", "BYTES, application/octet-stream"})
    void everyArtifactKindHasADefaultMediaType(Artifact.ArtifactKind kind, String type) {
        assertThat(MediaTypes.defaultFor(kind)).isEqualTo(type);
    }
}
