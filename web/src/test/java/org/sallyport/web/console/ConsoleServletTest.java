package org.sallyport.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.FakeHttpExchange;

class ConsoleServletTest {
    private static final Path SOURCES = Path.of("src/main/webapp/console");

    private final ConsoleFiles files = files("let a;");

    private static ConsoleFiles files(String script) {
        return ConsoleFiles.of(Map.of(
                "index.html", bytes("<script src=\"/console/files/{edition}/app.js\">"), "app.js", bytes(script)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private FakeHttpExchange ask(FakeHttpExchange exchange) throws IOException {
        ConsoleServlet.answer(exchange.request(), exchange.response(), files);
        return exchange;
    }

    private FakeHttpExchange get(String path) throws IOException {
        return ask(new FakeHttpExchange("GET", path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console",
                "/console/",
                "/console/executions",
                "/console/executions/019ea7c0-1a2b",
                "/console/capabilities/fees.add"
            })
    void everyConsolePathServesThePage(String path) throws IOException {
        FakeHttpExchange page = get(path);

        assertThat(page.text()).contains("/console/files/" + files.edition() + "/app.js");
        assertThat(page.header("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.header("Cache-Control")).hasValue("no-cache");
    }

    @Test
    void filesAreCachedForeverUnderTheirEdition() throws IOException {
        FakeHttpExchange script = get("/console/files/" + files.edition() + "/app.js");

        assertThat(script.text()).isEqualTo("let a;");
        assertThat(script.header("Content-Type")).hasValue("text/javascript; charset=utf-8");
        assertThat(script.header("Cache-Control").orElseThrow()).contains("immutable");
        assertThat(get("/console/files/0000/app.js").header("Cache-Control")).hasValue("no-store");
        assertThat(files("let b;").edition()).isNotEqualTo(files.edition());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console/nothing.js",
                "/console/files/x",
                "/console/files/x/y.js",
                "/console/files/",
                "/console/index.html"
            })
    void unknownFileIsNotFound(String path) throws IOException {
        FakeHttpExchange nothing = get(path);

        assertThat(nothing.status()).isEqualTo(404);
        assertThat(nothing.header("Content-Type")).hasValue("application/problem+json");
        assertThat(nothing.header("Content-Security-Policy")).hasValue(ConsoleServlet.CONTENT_SECURITY_POLICY);
    }

    @Test
    void unchangedPageIsNotSentAgain() throws IOException {
        String tag = get("/console").header("ETag").orElseThrow();

        assertThat(ask(new FakeHttpExchange("GET", "/console").withHeader("If-None-Match", tag))
                        .status())
                .isEqualTo(304);
        assertThat(ask(new FakeHttpExchange("GET", "/console").withHeader("If-None-Match", "\"x\""))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void clientThatAcceptsGzipGetsGzip() throws IOException {
        FakeHttpExchange packed =
                ask(new FakeHttpExchange("GET", "/console").withHeader("Accept-Encoding", "br, gzip"));

        assertThat(packed.header("Content-Encoding")).hasValue("gzip");
        assertThat(packed.header("Vary")).hasValue("Accept-Encoding");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
                .isEqualTo(get("/console").body());
        assertThat(ask(new FakeHttpExchange("GET", "/console").withHeader("Accept-Encoding", "gzip;q=0"))
                        .header("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void onlyGetAndHeadAreAllowed() throws IOException {
        assertThat(ask(new FakeHttpExchange("POST", "/console")).status()).isEqualTo(405);
        assertThat(ask(new FakeHttpExchange("HEAD", "/console")).body()).isEmpty();
    }

    @Test
    void sourcesHaveNoInlineOrExternalCode() throws IOException {
        List<Path> sources;
        try (var all = Files.walk(SOURCES)) {
            sources = all.filter(Files::isRegularFile).toList();
        }
        assertThat(sources).hasSizeGreaterThan(30);
        for (Path source : sources) {
            String text = Files.readString(source);
            assertThat(text)
                    .as(source.toString())
                    .doesNotContain("innerHTML", "dangerouslySetInnerHTML", "eval(", "document.write", "https://");
            assertThat(text.replace("http://www.w3.org/2000/svg", ""))
                    .as(source.toString())
                    .doesNotContain("http://");
        }
        assertThat(Files.readString(SOURCES.resolve("index.html")))
                .doesNotContain("<style", "style=", " on")
                .doesNotContainPattern("<script(?![^>]*src=)");
    }

    @Test
    void everyImportNamesAnExistingFile() throws IOException {
        var pattern = java.util.regex.Pattern.compile("(?:from|import\\()\\s*\"(\\.[^\"]+)\"");
        try (var all = Files.walk(SOURCES)) {
            for (Path source :
                    all.filter(file -> file.toString().endsWith(".js")).toList()) {
                pattern.matcher(Files.readString(source))
                        .results()
                        .map(match -> source.resolveSibling(match.group(1)).normalize())
                        .filter(target -> !target.startsWith(SOURCES.resolve("vendor")))
                        .forEach(target -> assertThat(target).exists());
            }
        }
    }
}
