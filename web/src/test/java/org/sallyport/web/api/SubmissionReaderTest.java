package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.openapi.ApiDescription;

class SubmissionReaderTest {
    private final ApiDescription description = ApiDescription.read();

    @Test
    void codeAloneGetsDefaultsForTheOtherMembers() {
        assertThat(read("{\"code\":\"return 1\"}"))
                .isEqualTo(new Submission(
                        "return 1",
                        ScriptLanguage.UNSPECIFIED,
                        Json.EMPTY_OBJECT,
                        Json.EMPTY_OBJECT,
                        RequestedLimits.NONE,
                        Optional.empty(),
                        Map.of(),
                        4,
                        DebugMode.NONE,
                        Durability.JOURNAL,
                        Optional.empty(),
                        Optional.empty()));
    }

    @Test
    void everyMemberIsRead() {
        Submission submission =
                SubmissionReader.read(JsonMembersTest.members("""
                        {"code": " x ", "language": "TypeScript", "args": [1], "context": null, "grants": ["demo.*"],
                         "limits": {"wallMillis": 1, "cpuMillis": 2, "heapBytes": 3, "toolCalls": 0, "outputChars": 5},
                         "labels": {"a": "b"}, "priority": 9, "intent": "why", "debug": "inspect-brk", "durability": \
                        "none"}
                        """), Optional.of(new IdempotencyKey("key", "hash")));

        assertThat(submission)
                .isEqualTo(new Submission(
                        " x ",
                        ScriptLanguage.TYPESCRIPT,
                        new Json("[1]"),
                        Json.NULL,
                        new RequestedLimits(
                                Optional.of(1L), Optional.of(2L), Optional.of(3L), Optional.of(0L), Optional.of(5L)),
                        Optional.of(List.of("demo.*")),
                        Map.of("a", "b"),
                        9,
                        DebugMode.INSPECT_BREAK,
                        Durability.NONE,
                        Optional.of("why"),
                        Optional.of(new IdempotencyKey("key", "hash"))));
    }

    @Test
    void emptyGrantsDifferFromAbsentGrants() {
        assertThat(read("{\"code\":\"1\",\"grants\":[]}").grants()).contains(List.of());
        assertThat(read("{\"code\":\"1\",\"grants\":null}").grants()).isEmpty();
    }

    @Test
    void startMayBeAnInstantOrADelay() {
        assertThat(read("{\"code\":\"1\",\"notBefore\":\"2026-06-08T17:00:00.1234567+02:00\"}")
                        .admission())
                .isEqualTo(AdmissionConstraints.notBefore(Instant.parse("2026-06-08T15:00:00.123456Z")));
        assertThat(read("{\"code\":\"1\",\"delayMillis\":1500}").admission())
                .isEqualTo(AdmissionConstraints.afterDelay(Duration.ofMillis(1_500)));
        assertThat(read("{\"code\":\"1\",\"delayMillis\":0}").admission()).isEqualTo(AdmissionConstraints.NONE);
        assertThat(read("{\"code\":\"1\",\"deadline\":\"2026-06-08T15:00:00Z\"}")
                        .admission())
                .isEqualTo(AdmissionConstraints.NONE.withDeadline(Instant.parse("2026-06-08T15:00:00Z")));
    }

    @Test
    void retryPolicyHasDefaults() {
        assertThat(retry("{\"attempts\":3}"))
                .isEqualTo(new RetryPolicy(
                        3, Duration.ofSeconds(1), Duration.ofMinutes(1), RetryPolicy.defaultCodes(), false));
        assertThat(retry("{\"attempts\":2,\"delayMillis\":120000}").maxDelay()).isEqualTo(Duration.ofMinutes(2));
        assertThat(retry("{\"attempts\":2,\"delayMillis\":500,\"maxDelayMillis\":900,\"errorCodes\":[\"timeout\"],"
                        + "\"afterWrites\":true}"))
                .isEqualTo(new RetryPolicy(2, Duration.ofMillis(500), Duration.ofMillis(900), Set.of("timeout"), true));
        assertThat(retry("{\"attempts\":9223372036854775807}").attempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(retry("{\"attempts\":-9223372036854775808}").attempts()).isZero();
    }

    @Test
    void retryableErrorCodesMatchThePage() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "rest.md"));
        String defaults = page.substring(page.indexOf("Without `errorCodes`: "), page.indexOf("`errorCodes` can also"))
                .replace("`errorCodes`", "");
        String more = page.substring(page.indexOf("can also name"), page.indexOf("Other errors would occur"));
        Set<String> allowed = new TreeSet<>(codes(defaults));
        allowed.addAll(codes(more));

        assertThat(codes(defaults)).isEqualTo(RetryPolicy.defaultCodes());
        assertThat(allowed).isEqualTo(RetryPolicy.allowedCodes());
    }

    private static Set<String> codes(String text) {
        return Pattern.compile("`([a-z-]+)`")
                .matcher(text)
                .results()
                .map(code -> code.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void runsOfCapabilitiesAndSavedScriptsHaveRetryPolicies() {
        String retry = ",\"retry\":{\"attempts\":2}}";
        assertThat(CapabilityReader.readRunRequest(
                                JsonMembersTest.members("{\"capability\":\"fees.add\"" + retry), Optional.empty())
                        .options()
                        .admission()
                        .retry())
                .isPresent();
        assertThat(SavedScriptReader.readRunRequest(
                                JsonMembersTest.members("{\"cached\":\"fees\"" + retry), Optional.empty())
                        .options()
                        .admission()
                        .retry())
                .isPresent();
    }

    private static RetryPolicy retry(String json) {
        return read("{\"code\":\"1\",\"retry\":" + json + "}")
                .admission()
                .retry()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                             | code
                    {"code":null}                                  | code
                    {"code":""}                                    | code
                    {"code":" \\n\\t"}                             | code
                    {"code":1}                                     | code
                    {"code":["1"]}                                 | code
                    {"code":"1","language":"python"}               | language
                    {"code":"1","language":""}                     | language
                    {"code":"1","language":7}                      | language
                    {"code":"1","priority":-1}                     | priority
                    {"code":"1","priority":10}                     | priority
                    {"code":"1","priority":4.5}                    | priority
                    {"code":"1","priority":"4"}                    | priority
                    {"code":"1","priority":99999999999999999999}   | priority
                    {"code":"1","notBefore":"soon"}                | notBefore
                    {"code":"1","notBefore":"2026-06-08"}          | notBefore
                    {"code":"1","notBefore":"2026-06-08T15:00:00"} | notBefore
                    {"code":"1","notBefore":"1969-12-31T23:59:59Z"} | notBefore
                    {"code":"1","notBefore":"+10000-01-01T00:00:00Z"} | notBefore
                    {"code":"1","notBefore":1780930800000}         | notBefore
                    {"code":"1","deadline":"tomorrow"}             | deadline
                    {"code":"1","concurrencyKey":""}               | concurrencyKey
                    {"code":"1","concurrencyKey":" "}              | concurrencyKey
                    {"code":"1","concurrencyKey":7}                | concurrencyKey
                    {"code":"1","retry":3}                         | retry
                    {"code":"1","retry":{}}                        | retry.attempts
                    {"code":"1","retry":{"attempts":"3"}}          | retry.attempts
                    {"code":"1","retry":{"attempts":2.5}}          | retry.attempts
                    {"code":"1","retry":{"attempts":2,"delayMillis":"1s"}} | retry.delayMillis
                    {"code":"1","retry":{"attempts":2,"errorCodes":[]}} | retry.errorCodes
                    {"code":"1","retry":{"attempts":2,"errorCodes":"timeout"}} | retry.errorCodes
                    {"code":"1","retry":{"attempts":2,"afterWrites":1}} | retry.afterWrites
                    {"code":"1","retry":{"attempts":2},"debug":"inspect"} | retry
                    {"code":"1","delayMillis":-1}                  | delayMillis
                    {"code":"1","delayMillis":"5s"}                | delayMillis
                    {"code":"1","delayMillis":1,"notBefore":"2026-06-08T15:00:00Z"} | delayMillis
                    {"code":"1","limits":[]}                       | limits
                    {"code":"1","limits":5}                        | limits
                    {"code":"1","limits":{"wallMillis":"5"}}       | limits.wallMillis
                    {"code":"1","limits":{"cpuMillis":1.5}}        | limits.cpuMillis
                    {"code":"1","limits":{"heapBytes":true}}       | limits.heapBytes
                    {"code":"1","limits":{"toolCalls":[]}}         | limits.toolCalls
                    {"code":"1","limits":{"outputChars":{}}}       | limits.outputChars
                    {"code":"1","grants":"demo.*"}                 | grants
                    {"code":"1","grants":[1]}                      | grants
                    {"code":"1","grants":[""]}                     | grants
                    {"code":"1","grants":[null]}                   | grants
                    {"code":"1","labels":["a"]}                    | labels
                    {"code":"1","labels":{"a":1}}                  | labels
                    {"code":"1","labels":{"a":null}}               | labels
                    {"code":"1","labels":{"":"a"}}                 | labels
                    {"code":"1","intent":{}}                       | intent
                    """)
    void invalidMemberIsNamed(String body, String member) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> read(body))).isEqualTo(member);
    }

    @Test
    void unknownMembersAreRefused() {
        Problem problem = ProblemAssertions.problemOf(() -> read("{\"code\":\"1\",\"cod\":\"2\"}"));

        assertThat(problem.members().path("members")).hasToString("[\"cod\"]");
    }

    @Test
    void oversizedMembersAreRefused() {
        String grants =
                IntStream.rangeClosed(0, 1_000).mapToObj(i -> "\"a" + i + "\"").collect(Collectors.joining(","));
        String labels = IntStream.rangeClosed(0, 64)
                .mapToObj(i -> "\"a" + i + "\":\"\"")
                .collect(Collectors.joining(","));

        assertThat(ProblemAssertions.invalidMemberOf(() -> read("{\"code\":\"1\",\"grants\":[" + grants + "]}")))
                .isEqualTo("grants");
        assertThat(ProblemAssertions.invalidMemberOf(() -> read("{\"code\":\"1\",\"labels\":{" + labels + "}}")))
                .isEqualTo("labels");
        assertThat(ProblemAssertions.invalidMemberOf(
                        () -> read("{\"code\":\"1\",\"intent\":\"" + "x".repeat(2_001) + "\"}")))
                .isEqualTo("intent");
        assertThat(ProblemAssertions.invalidMemberOf(
                        () -> read("{\"code\":\"1\",\"concurrencyKey\":\"" + "x".repeat(201) + "\"}")))
                .isEqualTo("concurrencyKey");
        assertThat(read("{\"code\":\"1\",\"concurrencyKey\":\"" + "x".repeat(200) + "\"}")
                        .admission())
                .isEqualTo(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("x".repeat(200))));
        assertThat(ProblemAssertions.invalidMemberOf(
                        () -> read("{\"code\":\"1\",\"labels\":{\"a\":\"" + "x".repeat(301) + "\"}}")))
                .isEqualTo("labels");
    }

    @Test
    void knownMembersMatchTheDescription() {
        Problem ofBody = ProblemAssertions.problemOf(() ->
                SubmissionReader.readWithSaveAs(JsonMembersTest.members("{\"code\":\"1\",\"?\":1}"), Optional.empty()));
        Problem ofLimits = ProblemAssertions.problemOf(() -> read("{\"code\":\"1\",\"limits\":{\"?\":1}}"));

        assertThat(ofBody.detail()).endsWith("known are " + String.join(", ", description.members("Submission")));
        assertThat(ofLimits.detail())
                .endsWith("known are " + String.join(", ", description.members("RequestedLimits")));
        Problem ofRetry = ProblemAssertions.problemOf(() -> read("{\"code\":\"1\",\"retry\":{\"?\":1}}"));
        assertThat(ofRetry.detail()).endsWith("known are " + String.join(", ", description.members("RequestedRetry")));
    }

    private static Submission read(String body) {
        return SubmissionReader.read(JsonMembersTest.members(body), Optional.empty());
    }

    /** An author who follows an error message must not be refused for it. */
    @Test
    void everyLimitNamedByAMessageIsRequestableOrASetting() throws IOException {
        Pattern named = Pattern.compile("(sallyport\\.)?\\blimits\\.([a-z][A-Za-z-]*)(?![A-Za-z(.])");
        Set<String> members = new TreeSet<>();
        Set<String> settings = new TreeSet<>();
        for (Path root : List.of(
                Path.of("..", "sandbox", "src", "main"),
                Path.of("..", "ejb", "src", "main", "java", "org", "sallyport", "runner"))) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(each -> each.toString().matches(".*\\.(java|js)"))
                        .toList()) {
                    for (String text : texts(Files.readString(file))) {
                        named.matcher(text)
                                .results()
                                .forEach(found -> (found.group(1) == null ? members : settings).add(found.group(2)));
                    }
                }
            }
        }

        assertThat(members).contains("heapBytes", "toolCalls", "wallMillis", "timers", "artifacts", "argumentChars");
        for (String member : members) {
            assertThat(read("{\"code\":\"return 1\",\"limits\":{\"" + member + "\":1}}")
                            .limits())
                    .as(member)
                    .isNotEqualTo(RequestedLimits.NONE);
        }
        assertThat(Settings.all().stream().map(each -> each.name()))
                .containsAll(settings.stream()
                        .map(each -> "sallyport.limits." + each)
                        .toList());
    }

    /** The quoted texts in the code, with their quotes. */
    private static List<String> texts(String code) {
        return Pattern.compile("\"[^\"\\n]*\"|'[^'\\n]*'")
                .matcher(code)
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
