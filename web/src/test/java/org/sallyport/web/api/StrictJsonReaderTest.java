package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.ws.rs.core.MediaType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;

class StrictJsonReaderTest {
    private static final int MAX_BODY_BYTES = 4_096;

    private final MemoryBudget budget;
    private final RequestMemory memory;
    private final StrictJsonReader json;

    StrictJsonReaderTest() {
        MemoryBudgets budgets = new MemoryBudgets(0, 0);
        budget = budgets.bodies();
        memory = new RequestMemory(budgets);
        json = reader(MAX_BODY_BYTES);
    }

    private StrictJsonReader reader(int maxBodyBytes) {
        return new StrictJsonReader(
                Configuration.read(Map.of("sallyport.limits.max-body-bytes", "" + maxBodyBytes), Map.of()), memory);
    }

    @Test
    void objectIsReadAndItsValueIsHashed() {
        byte[] bytes = bytes("{ \"a\" : [1, \"é😀\", null] }");

        ObjectNode body = read(bytes);

        assertThat(body).hasToString("{\"a\":[1,\"é😀\",null]}");
        assertThat(CanonicalJsonHash.of(body))
                .matches("[0-9a-f]{64}")
                .isEqualTo(CanonicalJsonHash.of(read(bytes("{\"a\":[1.0,\"\\u00e9\\ud83d\\ude00\",null]}"))))
                .isNotEqualTo(CanonicalJsonHash.of(read(bytes("{}"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "true",
                "1",
                "\"a\"",
                "[]",
                "[{}]",
                "{",
                "}",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":NaN}",
                "{\"a\":01}",
                "{\"a\":.5}",
                "{\"a\":1} x",
                "{\"a\":1}{\"b\":2}",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":1,\"a\":2}",
                "/**/{}",
                "{\"a\":\"\u0000\"}",
                "<a/>"
            })
    void otherValuesAndInvalidJsonAreRefused(String body) {
        Problem problem = refused(bytes(body));

        assertThat(problem.type()).isEqualTo(ProblemType.VALIDATION);
        assertThat(problem.detail())
                .startsWith("the body ")
                .doesNotContain("com.fasterxml")
                .doesNotContain("java.")
                .hasSizeLessThan(400);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"a" 1}        | 1 | 6
                    {"a":1,"a":2}  | 1 | 11
                    {"a":1         | 1 | 7
                    """)
    void problemNamesLineAndColumn(String body, int line, int column) {
        Problem problem = refused(bytes(body.strip()));

        assertThat(problem.members().path("line").asInt()).isEqualTo(line);
        assertThat(problem.members().path("column").asInt()).isCloseTo(column, Offset.offset(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x80, 0xc3, 0xf8, 0xff})
    void invalidUtf8IsRefused(int wrong) {
        byte[] bytes = bytes("{\"a\":\"x\"}");
        bytes[6] = (byte) wrong;

        assertThat(refused(bytes).type()).isEqualTo(ProblemType.VALIDATION);
    }

    @Test
    void escapedLoneSurrogateIsKept() {
        assertThat(read(bytes("{\"a\":\"\\ud83d\"}")).path("a").textValue()).isEqualTo("\ud83d");
    }

    @Test
    void tooDeepNestingIsRefused() {
        assertThat(read(bytes("{\"a\":" + "[".repeat(199) + "]".repeat(199) + "}")))
                .isNotNull();

        assertThat(refused(bytes("{\"a\":" + "[".repeat(200) + "]".repeat(200) + "}"))
                        .detail())
                .contains("nested deeper than 200");
    }

    @Test
    void bodyOfTooManyValuesIsRefused() {
        StrictJsonReader large = reader(4 << 20);
        byte[] most = bytes("{\"a\":[" + "{},".repeat(99_997) + "1]}");

        assertThat(read(large, most).path("a")).hasSize(99_998);
        assertThat(ProblemAssertions.problemOf(() -> read(large, bytes("{\"a\":[" + "{},".repeat(1_390_000) + "1]}")))
                        .type())
                .isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
    }

    @Test
    void tooLongNameIsRefused() {
        assertThat(read(bytes("{\"" + "x".repeat(1_000) + "\":1}"))).hasSize(1);

        assertThat(refused(bytes("{\"a\":{\"" + "x".repeat(2_000) + "\":1}}")).detail())
                .contains("a name of more than 1000 bytes");
    }

    @Test
    void memoryIsReservedUntilTheRequestIsHandled() {
        Runnable end = memory.begin(new FakeHttpExchange("POST", "/").request());
        read(bytes("{\"a\":[1,2,3]}"));
        long small = budget.usedBytes();
        read(bytes("{\"a\":[" + "{},".repeat(1_000) + "1]}"));

        assertThat(small).isBetween(300L, 1_000L);
        assertThat(budget.usedBytes()).as("many small values").isGreaterThan(small + 100_000);
        end.run();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void bodyIsRefusedWhileOthersHoldTheMemory() {
        MemoryBudget.MemoryReservation others =
                budget.tryReserve("strangers", budget.maxBytesPerOwner()).orElseThrow();
        Runnable end = memory.begin(new FakeHttpExchange("POST", "/").request());
        try {
            assertThat(refused(bytes("{}")).type()).isEqualTo(ProblemType.UNAVAILABLE);
            others.close();
            assertThat(read(bytes("{}"))).isEmpty();
        } finally {
            end.run();
        }
    }

    /** Where the limit of bodies is larger than their share of the memory. */
    @Test
    void bodyThatNeedsMoreMemoryThanOneRequestMayHaveIsRefusedAsTooLarge() {
        Runnable end = memory.begin(new FakeHttpExchange("POST", "/").request());
        try {
            Problem problem = ProblemAssertions.problemOf(() -> read(reader(32 << 20), filled(30 << 20)));

            assertThat(problem.type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
            assertThat(problem.detail()).contains("sallyport.memory.percent");
        } finally {
            end.run();
        }
    }

    @Test
    void numbersKeepAllTheirDigits() {
        String number = "123456789012345678901234567890.125";

        assertThat(read(bytes("{\"a\":" + number + "}"))).hasToString("{\"a\":" + number + "}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1e400", "10e2147483647", "10.0e2147483646", "1e99999999999", "-1e-2147483647", "1e-99999999999"
            })
    void hugeNumbersAreReadOrRefusedWithoutFailure(String number) {
        try {
            assertThat(read(bytes("{\"a\":" + number + "}")).toString()).isNotEmpty();
        } catch (ProblemException e) {
            assertThat(e.problem().type()).isEqualTo(ProblemType.VALIDATION);
        }
    }

    @Test
    void numberWithTooManyDigitsIsRefused() {
        assertThat(refused(bytes("{\"a\":" + "9".repeat(1_001) + "}")).detail()).contains("1000 digits");
    }

    @Test
    void bodyOfExactlyTheMaximumSizeIsRead() {
        assertThat(read(filled(MAX_BODY_BYTES)).path("a").textValue()).hasSize(MAX_BODY_BYTES - 8);
    }

    @Test
    void bodyOneByteOverTheMaximumSizeIsRefused() {
        assertThat(refused(filled(MAX_BODY_BYTES + 1)).type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
    }

    @Test
    void bodyAnnouncedAsTooLargeIsNotRead() {
        InputStream untouchable = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("it was read");
            }

            @Override
            public int read(byte[] into, int from, int length) {
                return read();
            }
        };

        Problem problem = ProblemAssertions.problemOf(
                () -> json.read(new FakeHttpHeaders(MediaType.APPLICATION_JSON_TYPE, MAX_BODY_BYTES + 1), untouchable));

        assertThat(problem.type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        assertThat(problem.detail()).contains("4096 bytes").contains("sallyport.limits.max-body-bytes");
    }

    @Test
    void interruptedBodyIsAValidationProblem() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("reset");
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                return read();
            }
        };

        assertThat(ProblemAssertions.problemOf(
                                () -> json.read(new FakeHttpHeaders(MediaType.APPLICATION_JSON_TYPE, -1), broken))
                        .type())
                .isEqualTo(ProblemType.VALIDATION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "Application/JSON", "application/json;charset=UTF-8"})
    void utf8JsonContentTypeIsAccepted(String type) {
        assertThat(json.read(new FakeHttpHeaders(MediaType.valueOf(type), -1), new ByteArrayInputStream(bytes("{}"))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "*/*",
                "application/json;charset=latin1"
            })
    void otherContentTypesAreRefused(String type) {
        assertThat(refusedAs(MediaType.valueOf(type)).type()).isEqualTo(ProblemType.UNSUPPORTED_MEDIA_TYPE);
    }

    @Test
    void bodyWithoutContentTypeIsRefused() {
        assertThat(refusedAs(null).type()).isEqualTo(ProblemType.UNSUPPORTED_MEDIA_TYPE);
    }

    private Problem refusedAs(@Nullable MediaType type) {
        return ProblemAssertions.problemOf(
                () -> json.read(new FakeHttpHeaders(type, -1), new ByteArrayInputStream(bytes("{}"))));
    }

    private Problem refused(byte[] bytes) {
        return ProblemAssertions.problemOf(() -> read(bytes));
    }

    private ObjectNode read(byte[] bytes) {
        return read(json, bytes);
    }

    private static ObjectNode read(StrictJsonReader reader, byte[] bytes) {
        return reader.read(new FakeHttpHeaders(MediaType.APPLICATION_JSON_TYPE, -1), new ByteArrayInputStream(bytes));
    }

    private static byte[] filled(int length) {
        return bytes("{\"a\":\"" + "x".repeat(length - 8) + "\"}");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
