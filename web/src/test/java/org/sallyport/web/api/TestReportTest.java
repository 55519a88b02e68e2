package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.tool.Json;

class TestReportTest {
    @Test
    void summaryIsRecomputedAndNotTrusted() {
        assertThat(TestReport.read(new Json("""
                {"success": true, "summary": {"passed": 9}, "more": 1, "error": null, "tests": [
                  {"name": "a", "passed": true, "skipped": false, "error": null, "durationMillis": 1, "more": 2},
                  {"name": "b", "passed": false, "skipped": false, "error": "no", "durationMillis": -2},
                  {"name": "c", "passed": true, "skipped": true,
                   "error": null, "durationMillis": 0}]}""")).orElseThrow().toString())
                .isEqualTo("{\"success\":false,\"summary\":{\"total\":3,\"passed\":1,\"failed\":1,\"skipped\":1},"
                        + "\"tests\":["
                        + "{\"name\":\"a\",\"passed\":true,\"skipped\":false,\"error\":null,"
                        + "\"durationMillis\":1},"
                        + "{\"name\":\"b\",\"passed\":false,\"skipped\":false,\"error\":\"no\","
                        + "\"durationMillis\":0},"
                        + "{\"name\":\"c\",\"passed\":true,\"skipped\":true,\"error\":null,"
                        + "\"durationMillis\":0}],"
                        + "\"error\":null}");
    }

    @Test
    void reportWithARunErrorIsNotSuccessful() {
        assertThat(TestReport.read(new Json("""
                        {"error": {"code": "hook-failed", "message": "after: no"}, "tests": [
                          {"name": "a", "passed": true, "skipped": false,
                           "error": null, "durationMillis": 1}]}""")).orElseThrow().path("success").booleanValue())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "{\"tests\": [1]}",
                "{\"tests\": [{\"name\": 1, \"passed\": true, \"skipped\": false, \"error\": null, "
                        + "\"durationMillis\": 1}]}",
                "{\"tests\": [{\"name\": \"a\", \"passed\": 1, \"skipped\": false, \"error\": null, "
                        + "\"durationMillis\": 1}]}",
                "{\"tests\": [{\"name\": \"a\", \"passed\": true, \"skipped\": false, \"error\": {}, "
                        + "\"durationMillis\": 1}]}",
                "{\"tests\": [{\"name\": \"a\", \"passed\": true, \"skipped\": false, \"durationMillis\": 1}]}"
            })
    void invalidReportIsRejected(String returned) {
        assertThat(TestReport.read(new Json(returned))).isEmpty();
    }
}
