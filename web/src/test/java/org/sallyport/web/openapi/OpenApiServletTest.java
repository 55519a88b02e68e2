package org.sallyport.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.FakeHttpExchange;

class OpenApiServletTest {
    private final OpenApiServlet servlet = new OpenApiServlet();

    @Test
    void yamlIsTheDefaultFormat() throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", "/openapi");

        servlet.service(exchange.request(), exchange.response());

        assertThat(exchange.status()).isEqualTo(200);
        assertThat(exchange.header("Content-Type")).hasValue("application/yaml");
        assertThat(exchange.text()).startsWith("openapi: 3.0.3");
        assertThat(exchange.header("Content-Length")).hasValue(Integer.toString(exchange.body().length));
    }

    @Test
    void jsonWithTheSameContentIsSentIfPreferred() throws IOException {
        FakeHttpExchange yaml = new FakeHttpExchange("GET", "/openapi");
        FakeHttpExchange json = new FakeHttpExchange("GET", "/openapi").withHeader("Accept", "application/json");

        servlet.service(yaml.request(), yaml.response());
        servlet.service(json.request(), json.response());

        JsonNode read = ApiDescription.parse(json.body());
        assertThat(json.header("Content-Type")).hasValue("application/json");
        assertThat(json.header("Vary")).hasValue("Accept");
        assertThat(read).isEqualTo(new YAMLMapper().readTree(yaml.body()));
        assertThat(read.path("openapi").asText()).isEqualTo("3.0.3");
    }

    @Test
    void answersHeadWithoutABody() throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("HEAD", "/openapi");

        servlet.service(exchange.request(), exchange.response());

        assertThat(exchange.status()).isEqualTo(200);
        assertThat(exchange.header("Content-Length")).isPresent();
        assertThat(exchange.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "TRACE", "OPTIONS", "BREW"})
    void otherMethodsAreRefused(String method) throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange(method, "/openapi");

        servlet.service(exchange.request(), exchange.response());

        assertThat(exchange.status()).isEqualTo(405);
        assertThat(exchange.header("Allow")).hasValue("GET, HEAD");
        assertThat(exchange.header("Content-Type")).hasValue("application/problem+json");
        assertThat(ApiDescription.read().violations("Problem", ApiDescription.parse(exchange.body())))
                .isEmpty();
    }
}
