package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.guest.InProcessSandbox;

class ExactNumberEncoderTest {
    private static final int NUMBERS = 3_000;

    @SuppressWarnings("NullAway.Init")
    private static Sandbox engine;

    @BeforeAll
    static void open() {
        engine = new InProcessSandbox(1);
    }

    @AfterAll
    static void close() {
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"id":725653563933458432,"n":7}   | {"id":"725653563933458432","n":7}
            [9007199254740993]                | ["9007199254740993"]
            [-9007199254740993]               | ["-9007199254740993"]
            [0.1234567890123456789]           | ["0.1234567890123456789"]
            [0.10000000000000001]             | ["0.10000000000000001"]
            [12345678901234567.10]            | ["12345678901234567.10"]
            [1e400,-1E+400,1e-400]            | ["1e400","-1e400","1e-400"]
            [1e99999999999999999999]          | ["1e99999999999999999999"]
            [4.9e-324]                        | ["4.9e-324"]
            [1.7976931348623159e308]          | ["1.7976931348623159e308"]
            9007199254740993                  | "9007199254740993"
            {"a\\"1":9007199254740993}        | {"a\\"1":"9007199254740993"}
            {"a\\\\":9007199254740993}        | {"a\\\\":"9007199254740993"}
            """)
    void numberThatJavaScriptChangesBecomesAText(String json, String encoded) {
        assertThat(ExactNumberEncoder.encode(json)).isEqualTo(encoded);
        assertThat(ExactNumberEncoder.encode(encoded)).isSameAs(encoded);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":7,\"price\":19.99,\"on\":true,\"none\":null}",
                "[9007199254740992,1234567890123456800,100000000000000000000000]",
                "[1.0,1.50,-0,-0.0,0e999999999999,0.000,1.000000000000000000000000000]",
                "[0.1,0.30000000000000004,13.404953999999975,5e-324,1.7976931348623157e308]",
                "[1e21,1E-7,2.5e+1,1e0000000000000000001]",
                "\"9007199254740993\"",
                "{\"9007199254740993\":\"1e400, \\\"9007199254740993\\\" \\\\\"}",
            })
    void everythingElseStays(String json) {
        assertThat(ExactNumberEncoder.encode(json)).isSameAs(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[01234567890123456789]",
                "[9007199254740993.]",
                "[1e]",
                "[--9007199254740993e+]",
                "{9007199254740993:1}",
                "{9007199254740993 \n:1}",
                "\"9007199254740993",
                "\"9007199254740993\\",
                "9007199254740993-9007199254740993",
                "",
            })
    void textThatIsNoJsonBecomesNoJson(String text) {
        assertThat(ExactNumberEncoder.encode(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[%s]", "[0.%s]", "[1e%s]", "\"%s\"",
            })
    void longNumbersAndTextsTakeLinearTime(String json) {
        String digits = "9".repeat(4_000_000);
        assertThat(ExactNumberEncoder.encode(json.formatted(digits)))
                .contains("\"")
                .contains(digits);
        String backslashes = "\\".repeat(4_000_000);
        assertThat(ExactNumberEncoder.encode('"' + backslashes + '"')).hasSize(backslashes.length() + 2);
    }

    /** JavaScript itself decides which numbers it changes. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void numberIsATextExactlyIfJavaScriptChangesIt(long seed) throws Exception {
        Random random = new Random(seed);
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < NUMBERS; i++) {
            numbers.add(number(random));
        }
        String json = "[" + String.join(",", numbers) + "]";
        List<String> written = writtenByJavaScript(json);
        List<String> expected = new ArrayList<>();
        int texts = 0;
        for (int i = 0; i < NUMBERS; i++) {
            String number = numbers.get(i);
            boolean same = !written.get(i).equals("null")
                    && new BigDecimal(written.get(i)).compareTo(new BigDecimal(number)) == 0;
            texts += same ? 0 : 1;
            expected.add(same ? number : '"' + number.replace('E', 'e').replace("+", "") + '"');
        }
        assertThat(ExactNumberEncoder.encode(json)).isEqualTo("[" + String.join(",", expected) + "]");
        assertThat(texts).isBetween(NUMBERS / 10, NUMBERS * 9 / 10);
    }

    private static List<String> writtenByJavaScript(String json) throws Exception {
        SessionRequest request = GuestContract.request(
                "return args.map((number) => JSON.stringify(number)).join(' ')", json, GuestContract.LARGE_LIMITS);
        SessionResult end = RecordingListener.start(engine, request).end();
        assertThat(end).isInstanceOf(SessionResult.ScriptReturned.class);
        return List.of(
                ((SessionResult.ScriptReturned) end).result().replace("\"", "").split(" "));
    }

    private static String number(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Long.toString(random.nextLong());
            case 1 -> Double.toString(anyDouble(random));
            case 2 ->
                new BigDecimal(anyDouble(random))
                        .round(new MathContext(1 + random.nextInt(20)))
                        .toString();
            case 3 -> random.nextInt(1_000) + "." + (random.nextLong() >>> (1 + random.nextInt(30)));
            case 4 -> Double.toString((random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(30)));
            case 5 -> Long.toString((1L << 53) + random.nextInt(100));
            case 6 -> random.nextInt(100) + "e" + (random.nextInt(800) - 400);
            default ->
                BigDecimal.valueOf(random.nextLong() >>> random.nextInt(60), random.nextInt(660) - 330)
                        .toString();
        };
    }

    private static double anyDouble(Random random) {
        double any = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(any) ? any : 0.5;
    }
}
