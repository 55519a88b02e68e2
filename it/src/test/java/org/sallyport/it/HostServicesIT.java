package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Host services for scripts: artifacts, events, progress, and the list of tools. */
@ExtendWith(ServerExtension.class)
class HostServicesIT {
    private final RestClient api;

    HostServicesIT(RestClient api) {
        this.api = api;
    }

    private static String artifactsPath(String id) {
        return RestClient.EXECUTIONS + "/" + id + "/artifacts";
    }

    @Test
    void artifactsAreListedAndDownloaded() {
        JsonNode ended = api.run(SubmissionBody.javascript("""
                await artifacts.write('report.csv', 'a,b\\n1,ü\\n', { contentType: 'text/csv' });
                await artifacts.write('data', { n: [1, 2] });
                await artifacts.write('bytes', new Uint8Array([0, 255, 7]));
                await artifacts.write('data', { n: 3 });
                return [(await artifacts.list()).map(each => each.name), await artifacts.read('data'),
                  Array.from(await artifacts.read('bytes'))];
                """));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("result")).hasToString("[[\"bytes\",\"data\",\"report.csv\"],{\"n\":3},[0,255,7]]");
        String id = ended.path("id").asText();

        JsonNode list = api.get(artifactsPath(id)).expectStatus(200).json();
        assertThat(list.path("items")).hasSize(3);
        assertThat(list.path("items").path(2).path("contentType").asText()).isEqualTo("text/csv");
        RestResponse report = api.get(artifactsPath(id) + "/report.csv").expectStatus(200);
        assertThat(report.text()).isEqualTo("a,b\n1,ü\n");
        assertThat(report.header("Content-Type")).startsWith("text/csv");
        assertThat(report.header("Content-Disposition")).startsWith("attachment; filename=\"report.csv\"");
        assertThat(report.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(api.get(list.path("items").path(1).path("content").asText())
                        .expectStatus(200)
                        .text())
                .isEqualTo("{\"n\":3}");
        assertThat(api.get(artifactsPath(id) + "/none").expectStatus(404).problemType())
                .isEqualTo("not-found");
        api.withoutKey().get(artifactsPath(id) + "/report.csv").expectStatus(401);
    }

    @Test
    void largeArtifactIsDownloadedWithItsLength() {
        JsonNode ended = api.run(SubmissionBody.javascript("""
                await artifacts.write('large', '0123456789'.repeat(200_000), { contentType: 'text/plain' });
                """));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");

        String id = ended.path("id").asText();
        RestResponse large = api.get(artifactsPath(id) + "/large").expectStatus(200);

        assertThat(large.text()).isEqualTo("0123456789".repeat(200_000));
        assertThat(large.header("Content-Length")).isEqualTo("2000000");
        assertThat(large.header("Content-Type")).startsWith("text/plain");
        assertThat(large.header("Content-Disposition")).startsWith("attachment; filename=\"large\"");
        assertThat(large.headers().allValues("Content-Security-Policy")).contains("sandbox; default-src 'none'");
        assertThat(large.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"../../x", "C:\\x", "CON", ".", "..", "a/b", "a\r\nSet-Cookie: b", "<img src=x>", "ä\u202E😀"})
    void hostileArtifactNameIsStoredAndServedSafely(String name) {
        JsonNode ended =
                api.run(SubmissionBody.javascript("await artifacts.write(args, 'text'); return artifacts.read(args)")
                        .args(quoted(name)));
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("text");
        RestResponse content = api.get(artifactsPath(ended.path("id").asText()) + "?name=" + encoded(name))
                .expectStatus(200);
        assertThat(content.text()).isEqualTo("text");
        assertThat(content.header("Content-Disposition"))
                .matches("attachment; filename=\"[\\w. -]*\"; filename\\*=UTF-8''[\\w.%!#$&+^`|~-]*");
        assertThat(content.header("Set-Cookie")).isEmpty();
    }

    @Test
    void artifactWritesWithoutAwaitAreLimited() {
        JsonNode ended = api.run(SubmissionBody.javascript("""
                const most = new Uint8Array(2_000_000);
                const write = (name) => artifacts.write(name, most).then(() => 'kept', (error) => error.code);
                const told = await Promise.all(Array.from({ length: 20 }, (_, i) => write('part-' + i)));
                return [told.filter((each) => each === 'kept').length < 20, [...new Set(told)].sort(), await \
                write('later')];
                """));
        assertThat(ended.path("result"))
                .as(ended.toString())
                .hasToString("[true,[\"kept\",\"request-limit\"],\"kept\"]");
    }

    private static String quoted(String text) {
        return com.fasterxml.jackson.databind.node.TextNode.valueOf(text).toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void executionReceivesEventsOfAnotherExecution() {
        String listener = api.submit(SubmissionBody.javascript("""
                console.log('listening');
                const first = events.next('order', { timeout: 30000 });
                const event = await first;
                return event.data;
                """));
        api.awaitOutput(listener, "listening");
        JsonNode emitter = api.run(SubmissionBody.javascript("""
                for (let i = 0; i < 40; i++) { await events.emit('order', { id: i }); await sleep(250); }
                return 'sent';
                """));
        assertThat(emitter.path("state").asText()).as(emitter.toString()).isEqualTo("COMPLETED");
        JsonNode heard = api.awaitEnd(listener);
        assertThat(heard.path("result").path("id").isInt()).as(heard.toString()).isTrue();
        assertThat(api.getTrace(listener).toString()).contains("events.next");
    }

    @Test
    void progressIsVisibleWhileTheScriptRuns() {
        String id = api.submit(SubmissionBody.javascript("""
                progress(0.25, 'a quarter'); console.log('there'); for (;;) await sleep('5s');
                """));
        api.awaitOutput(id, "there");
        JsonNode now = Await.untilPresent(
                "its progress is shown",
                Duration.ofSeconds(60),
                () -> Optional.of(api.getExecution(id))
                        .filter(seen -> !seen.path("progress").isMissingNode()));
        assertThat(now.path("progress")).hasToString("{\"fraction\":0.25,\"text\":\"a quarter\"}");
        api.cancel(id).expectStatus(202);
        api.awaitEnd(id);
    }

    @Test
    void scriptsReadTheInterfacesOfTheirTools() {
        JsonNode ended = api.run(SubmissionBody.javascript("""
                const add = __getToolInterface('demo.add');
                return [add.inputSchema.required, __getToolInterface('no.such'), searchTools('adds numbers')[0].name,
                  add.declaration];
                """));
        assertThat(ended.path("result").path(0)).as(ended.toString()).hasToString("[\"a\",\"b\"]");
        assertThat(ended.path("result").path(1).isNull()).isTrue();
        assertThat(ended.path("result").path(2).asText()).isEqualTo("demo.add");
        assertThat(ended.path("result").path(3).asText())
                .contains("add(args: {")
                .contains("a: number;")
                .contains("Promise<number>");
    }
}
