package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.testsupport.TimingAssertions;

/** Tests of scripts. */
@ExtendWith(ServerExtension.class)
class ScriptTestsIT {
    private static final String TESTS = "/api/v1/tests";
    private static final String SUM_SCRIPT = "export default ({ a }) => demo.add({ a, b: 1 });";

    private final RestClient api;
    private final OpenApiResponseValidator description;

    ScriptTestsIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private RestResponse post(SubmissionBody tests, int status, String... headers) {
        var request =
                api.request(TESTS).header("Content-Type", "application/json").POST(RestClient.body(tests.json()));
        RestResponse answer = api.send(headers.length == 0 ? request : request.headers(headers));
        answer.expectStatus(status);
        assertThat(description.validate("POST", TESTS, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private static SubmissionBody tests(String code, String tests) {
        return SubmissionBody.typescript(code)
                .with("tests", TestJson.write(TestJson.object().put("t", tests).path("t")));
    }

    private JsonNode runTests(String code, String tests) {
        return post(tests(code, tests), 200).json();
    }

    private static List<String> results(JsonNode report) {
        List<String> results = new ArrayList<>();
        report.path("tests").forEach(test -> {
            String what = test.path("skipped").asBoolean()
                    ? "skipped"
                    : test.path("passed").asBoolean() ? "ok" : "failed";
            results.add(test.path("name").asText() + ": " + what);
        });
        return results;
    }

    private static String readCodeBlock(String page, String kind) {
        Matcher block =
                Pattern.compile("```" + kind + "\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).as(kind).isTrue();
        return block.group(1);
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/testing.md"));
        JsonNode report = runTests(readCodeBlock(page, "js implementation"), readCodeBlock(page, "js tests"));

        assertThat(report.path("success").asBoolean()).as(report.toString()).isTrue();
        assertThat(report.path("summary"))
                .isEqualTo(TestJson.read("{\"total\": 4, \"passed\": 3, \"failed\": 0, \"skipped\": 1}"));
        assertThat(results(report))
                .containsExactly(
                        "adds the fee: ok",
                        "refuses what is free: ok",
                        "says what is not mocked: ok",
                        "rounds: skipped");
    }

    @Test
    void testsSeeTheDeclarationsOfTheDocumentedScript() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/testing.md"));
        JsonNode report = runTests(readCodeBlock(page, "ts implementation"), readCodeBlock(page, "ts tests"));

        assertThat(results(report)).as(report.toString()).containsExactly("adds the fee: ok");
    }

    @Test
    void testsMayStandAlone() {
        SubmissionBody alone = SubmissionBody.typescript("")
                .without("code")
                .with("tests", "\"test('a', () => assert.is(1 as number, 1)); test('b', () => main());\"");
        JsonNode report = post(alone, 200).json();

        assertThat(results(report)).containsExactly("a: ok", "b: failed");
        assertThat(report.at("/tests/1/error").asText()).contains("There is no script to run");
        assertThat(post(alone.with("tests", "\"test('a', => 1)\""), 422)
                        .json()
                        .path("member")
                        .asText())
                .isEqualTo("tests");
        post(alone.with("code", "\" \""), 400);
    }

    @Test
    void failuresNameTheirSourcePositionAndOutputIsKept() {
        JsonNode report =
                runTests("""
                interface Order { price: number }
                export default function main({ price }: Order) {
                  console.log('price', price);
                  throw new RangeError('no');
                }""", "\ntest('a', () => main({ price: 1 }));\ntest('b', () => assert.is(1 as number, 2));");

        assertThat(report.path("success").asBoolean()).isFalse();
        assertThat(report.path("error").isNull()).isTrue();
        assertThat(report.path("output").asText()).isEqualTo("price 1\n");
        assertThat(report.at("/tests/0/error").asText())
                .contains("RangeError: no")
                .contains("script:4:9");
        assertThat(report.at("/tests/1/error").asText()).contains("tests:3:24");
    }

    @Test
    void toolsAreCalledForRealOnlyWhereTheyAreGranted() {
        String unmocked = "test('a', async () => assert.is(await main({ a: 2 }), 3))";
        JsonNode refused = runTests(SUM_SCRIPT, unmocked);
        assertThat(refused.at("/tests/0/error").asText()).contains("'demo.add' is not mocked");
        JsonNode granted =
                post(tests(SUM_SCRIPT, unmocked).grants("demo.add"), 200).json();
        assertThat(results(granted)).containsExactly("a: ok");
        JsonNode mocked = runTests(
                SUM_SCRIPT, "test('a', async () => { mock('demo.add', 9); assert.is(await main({ a: 2 }), 9) })");
        assertThat(results(mocked)).containsExactly("a: ok");
        assertThat(api.getTrace(mocked.path("execution").asText()))
                .noneMatch(event -> event.path("type").asText().startsWith("tool"));
    }

    @Test
    void endlessTestTimesOutAndIsNamed() {
        for (String endless : List.of("for (;;);", "await sleep('1h')")) {
            long start = System.nanoTime();
            JsonNode report = post(
                            tests(
                                            SUM_SCRIPT,
                                            "test('first', () => {});\ntest('endless', async () => { " + endless
                                                    + " });")
                                    .limit("wallMillis", 6_000),
                            200)
                    .json();
            TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(60));
            assertThat(report.path("success").asBoolean()).isFalse();
            assertThat(report.path("state").asText()).isEqualTo("TIMED_OUT");
            assertThat(report.at("/error/code").asText()).isEqualTo("wall-clock-limit");
            assertThat(report.at("/error/test").asText()).as(report.toString()).isEqualTo("endless");
        }
        JsonNode stuck = runTests(SUM_SCRIPT, "test('stuck', () => new Promise(() => {}));\ntest('next', () => {});");
        assertThat(results(stuck)).containsExactly("stuck: failed", "next: ok");
    }

    @Test
    void errorOutsideOfTestsIsAnErrorOfTheRun() {
        JsonNode thrown = runTests(SUM_SCRIPT, "test('a', () => {});\n\nnull.x;");
        assertThat(thrown.at("/error/code").asText()).isEqualTo("script-error");
        assertThat(thrown.at("/error/line").asInt()).isEqualTo(3);
        assertThat(thrown.at("/error/member").asText()).isEqualTo("tests");
        JsonNode none = runTests(SUM_SCRIPT, "1 + 1");
        assertThat(none.path("success").asBoolean()).isFalse();
        assertThat(none.at("/error/code").asText()).isEqualTo("no-tests");
        JsonNode spoilt = runTests(SUM_SCRIPT, "Array.prototype.push = () => 0; test('a', () => { throw 1 })");
        assertThat(spoilt.path("success").asBoolean()).isFalse();
        JsonNode unhandled =
                runTests(SUM_SCRIPT, "test('a', () => { Promise.reject(new Error('late')); return sleep(50) })");
        assertThat(unhandled.at("/error/code").asText()).isEqualTo("unhandled-rejection");
    }

    @Test
    void syntaxErrorNamesScriptOrTests() {
        JsonNode ofTests = post(tests(SUM_SCRIPT, "\ntest('a', => 1)"), 422).json();
        assertThat(ofTests.path("line").asInt()).isEqualTo(2);
        assertThat(ofTests.path("member").asText()).isEqualTo("tests");
        JsonNode ofCode = post(tests("return +", "test('a', () => 1)"), 422).json();
        assertThat(ofCode.path("line").asInt()).isEqualTo(1);
        assertThat(ofCode.has("member")).isFalse();
        assertThat(post(tests(SUM_SCRIPT, "test('a', () => 1)\n//# sallyport-tests\n"), 400)
                        .json()
                        .path("member")
                        .asText())
                .isEqualTo("tests");
        post(SubmissionBody.javascript(SUM_SCRIPT), 400);
        post(tests(SUM_SCRIPT, " "), 400);
        post(tests(SUM_SCRIPT, "1").label("a", "b").with("priority", "1"), 400);
    }

    @Test
    void reportCanBeFetchedLater() {
        RestResponse begun = post(tests(SUM_SCRIPT, "test('a', () => sleep(6000))"), 202, "Prefer", "wait=0");
        String path = URI.create(begun.header("Location")).getPath();
        assertThat(begun.json().path("success").asBoolean()).isFalse();

        RestResponse later = api.get(path + "?wait=20").expectStatus(200);
        assertThat(description.validate("GET", TESTS + "/{id}", later)).isEmpty();
        assertThat(results(later.json())).containsExactly("a: ok");
        assertThat(api.get(TESTS + "/" + api.submit(SubmissionBody.javascript("return 1")))
                        .status())
                .isEqualTo(404);
        assertThat(api.get(TESTS + "/1").status()).isEqualTo(404);

        String id = post(tests(SUM_SCRIPT, "test('a', () => sleep(60000))"), 202, "Prefer", "wait=0")
                .json()
                .path("execution")
                .asText();
        api.cancel(id).expectStatus(202);
        JsonNode cancelled =
                api.get(TESTS + "/" + id + "?wait=20").expectStatus(200).json();
        assertThat(cancelled.at("/error/code").asText()).isEqualTo("cancelled");
    }
}
