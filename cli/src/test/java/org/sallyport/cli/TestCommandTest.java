package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TestCommandTest {
    private static final String TESTS = "POST /api/v1/tests";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("impl.ts"), "export default () => 1;\n");
        Files.writeString(directory.resolve("test.ts"), "test('a', => 1)\n");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private static String report(boolean success, String state, String members) {
        return ("{'success':" + success
                        + ",'summary':{'total':2,'passed':1,'failed':1,'skipped':0},'output':'hello\\n',"
                        + "'execution':'e1','state':'" + state + "'," + members + "}")
                .replace('\'', '"');
    }

    @Test
    void testsMayStandAlone() {
        service.answer(TESTS, 200, report(true, "COMPLETED", "'error':null,'tests':[]"));

        assertThat(sallyport.run("test", "test.ts")).isEqualTo(ExitCode.COMPLETED.code());

        assertThat(service.bodies).containsExactly("{\"tests\":\"test('a', => 1)\\n\",\"language\":\"typescript\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "a.cts, typescript",
        "a.mts, typescript",
        "a.cjs, javascript",
        "a.mjs, javascript",
        "a.CTS, typescript",
        "a.txt, ''"
    })
    void languageIsThatOfTheFileName(String file, String language) throws IOException {
        Files.writeString(directory.resolve(file), "1");
        service.answer(TESTS, 200, report(true, "COMPLETED", "'error':null,'tests':[]"));

        assertThat(sallyport.run("test", file)).isZero();

        String member = language.isEmpty() ? "" : ",\"language\":\"" + language + "\"";
        assertThat(service.bodies).containsExactly("{\"tests\":\"1\"" + member + "}");
    }

    @Test
    void eachTestIsALineAndTheExitCodeShowsIfAllPassed() {
        service.answer(TESTS, 200, report(false, "COMPLETED", """
                'error':null,'tests':[{'name':'adds','passed':true,'skipped':false,'error':null,'durationMillis':3},
                {'name':'sub\\u001btracts','passed':false,'skipped':false,'error':'Assertion: no\\n    at tests:3:4',
                'durationMillis':1},{'name':'later','passed':false,\
                'skipped':true,'error':null,'durationMillis':0}]"""));

        assertThat(sallyport.run("test", "impl.ts", "test.ts", "--grant", "demo.*", "--timeout", "5s"))
                .isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.out()).isEqualTo("hello\n");
        assertThat(sallyport.err())
                .contains("ok    adds  3 ms")
                .contains("FAIL  sub\\u001btracts")
                .contains("at tests:3:4")
                .contains("skip  later")
                .contains("FAILED  1 passed, 1 failed");
    }

    @Test
    void unfinishedTestRunIsPolled() {
        service.answer(TESTS, 202, report(false, "RUNNING", "'error':null,'tests':[]"));
        service.answer("GET /api/v1/tests/e1", 200, report(true, "COMPLETED", "'error':null,'tests':[]"));

        assertThat(sallyport.run("test", "impl.ts", "test.ts")).isZero();

        assertThat(sallyport.err()).contains("PASSED");
    }

    @Test
    void brieflyBusyServiceDoesNotEndTheWait() {
        service.answer(TESTS, 202, report(false, "RUNNING", "'error':null,'tests':[]"));
        service.answerOnce(
                "GET /api/v1/tests/e1",
                503,
                "{\"type\":\"urn:sallyport:problem:unavailable\",\"title\":\"Busy\",\"status\":503}");
        service.answer("GET /api/v1/tests/e1", 200, report(true, "COMPLETED", "'error':null,'tests':[]"));

        assertThat(sallyport.run("test", "impl.ts", "test.ts")).isZero();

        assertThat(sallyport.err()).contains("PASSED");
    }

    @Test
    void errorOfTheRunIsPrinted() {
        service.answer(TESTS, 200, report(false, "FAILED", """
                'tests':[],'error':{'code':'cpu-limit','message':'too \
                much','member':'tests','line':2,'test':'endless'}"""));

        assertThat(sallyport.run("test", "impl.ts", "test.ts")).isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.err())
                .contains("cpu-limit in the tests, line 2")
                .contains("the test that ran last: endless");
    }

    @Test
    void codeFrameShowsTheFaultySource() {
        service.answer(
                TESTS,
                422,
                "{\"type\":\"urn:sallyport:problem:syntax-error\",\"title\":\"no\",\"status\":422,\"line\":1,"
                        + "\"column\":11,"
                        + "\"member\":\"tests\"}");

        assertThat(sallyport.run("test", "impl.ts", "test.ts")).isEqualTo(ExitCode.REFUSED.code());

        assertThat(sallyport.err()).contains("in test.ts, line 1").contains("test('a', => 1)");
    }
}
