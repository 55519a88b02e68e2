package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapabilityCommandTest {
    private static final String PUBLISH = "POST /api/v1/capabilities";
    private static final String PUBLISHED =
            "{\"name\":\"fees.add\",\"version\":\"1.0.0\",\"hash\":\"sha256-1\",\"description\":\"adds\\u001b\"}";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("fees.ts"), "export default () => 1;\n");
        Files.writeString(directory.resolve("fees.test.ts"), "test('a', () => {});\n");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void publishedVersionIsPrintedWithItsHash() {
        service.answer(PUBLISH, 201, PUBLISHED);

        assertThat(sallyport.run(
                        "capability",
                        "publish",
                        "fees.add@1.0.0",
                        "fees.ts",
                        "--tests",
                        "fees.test.ts",
                        "--tool",
                        "demo.*",
                        "--env",
                        "REGION",
                        "--sandbox",
                        "in-process"))
                .isZero();

        assertThat(service.bodies.get(0))
                .contains("\"tools\":[\"demo.*\"]", "\"env\":[\"REGION\"]", "\"sandbox\":\"in-process\"");
        assertThat(sallyport.out()).isEqualTo("fees.add@1.0.0  sha256-1\n");
        assertThat(sallyport.err()).contains("description: adds\\u001b");
    }

    @Test
    void failingTestsAreShown() {
        service.answer(PUBLISH, 422, """
                {"type":"urn:sallyport:problem:tests-failed","title":"The tests do not \
                pass","status":422,"report":{"success":false,
                 "summary":{"passed":0,"failed":1,"skipped":0},"tests":[{"name":"adds","passed":false,"skipped":false,
                 "error":"Assertion: no","durationMillis":1}]}}""");

        assertThat(sallyport.run("capability", "publish", "fees.add@1.0.0", "fees.ts"))
                .isEqualTo(ExitCode.REFUSED.code());

        assertThat(sallyport.err())
                .contains("FAIL  adds")
                .contains("Assertion: no")
                .contains("tests-failed");
    }

    @Test
    void namesAndVersionsAreListed() {
        service.answer("GET /api/v1/capabilities", 200, """
                {"items":[{"name":"fees.add","stable":"1.0.0","latest":"2.0.0-rc.1","submittedBy":"key-8",\
                "description":"Adds"}],\
                "next":null}""");
        service.answer("GET /api/v1/capabilities/fees.add", 200, """
                {"name":"fees.add","versions":[{"version":"1.0.0","publishedAt":"then","submittedBy":"key-7",\
                "hash":"sha256-1","deprecated":true}]}""");

        assertThat(sallyport.run("capability", "list", "fee")).isZero();
        assertThat(sallyport.run("capability", "show", "fees.add")).isZero();

        assertThat(sallyport.out())
                .containsPattern("fees.add +1.0.0 +2.0.0-rc.1 +key-8 +Adds")
                .containsPattern("1.0.0 +then +key-7 +deprecated +sha256-1");
        assertThat(service.requests).contains("GET /api/v1/capabilities?limit=200&q=fee");
    }

    @Test
    void brokenVersionsAreListedWithTheirTool() {
        service.answer("GET /api/v1/capabilities", 200, """
                {"items":[{"name":"fees.add","broken":[{"version":"1.0.0","breaches":[
                 {"tool":"crm.find","kind":"arguments","reason":"it would refuse\\u001b what it \
                took"}]}]}],"next":null}""");

        assertThat(sallyport.run("capability", "list", "--broken")).isZero();

        assertThat(sallyport.out())
                .contains("fees.add@1.0.0  crm.find  arguments  it would refuse")
                .doesNotContain("\u001b");
        assertThat(service.requests).anyMatch(request -> request.contains("broken=true"));
    }

    @Test
    void brokenVersionsAreSearchedOnAllPages() {
        String path = "GET /api/v1/capabilities?";
        service.answer(path + "broken=true&limit=200&q=", 200, "{\"items\":[],\"next\":\"n1\"}");
        service.answer(path + "broken=true&cursor=n1&limit=200&q=", 200, "{\"items\":[],\"next\":\"n2\"}");
        service.answer(path + "broken=true&cursor=n2&limit=200&q=", 200, """
                {"items":[{"name":"fees.last","broken":[{"version":"1.0.0","breaches":[
                 {"tool":"crm.find","kind":"gone","reason":"the tool no longer exists"}]}]}],"next":null}""");

        assertThat(sallyport.run("capability", "list", "--broken")).isZero();
        assertThat(sallyport.run("capability", "list", "--broken", "--json")).isZero();

        assertThat(sallyport.out()).contains("fees.last@1.0.0  crm.find  gone").contains("\"fees.last\"");
    }

    @Test
    void aVersionIsDeprecatedByItsNumber() {
        service.answer("POST /api/v1/capabilities/fees.add/versions/1.0.0/deprecate", 200, PUBLISHED);

        assertThat(sallyport.run("capability", "deprecate", "fees.add@1.0.0", "--reason", "slow"))
                .isZero();
        assertThat(sallyport.run("capability", "deprecate", "fees.add")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("capability")).isEqualTo(ExitCode.USAGE.code());
    }
}
