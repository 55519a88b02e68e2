package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.openapi.ApiDescription;

class ProblemWriterTest {
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void readsAreNotRefused(String method) throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange(method, "/health");

        assertThat(ProblemWriter.refuseUnlessRead(exchange.request(), exchange.response()))
                .isFalse();
        assertThat(exchange.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"})
    void otherMethodsAreRefusedWithTheMethodsOfThePath(String method) throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange(method, "/health");

        assertThat(ProblemWriter.refuseUnlessRead(exchange.request(), exchange.response()))
                .isTrue();
        assertThat(exchange.status()).isEqualTo(405);
        assertThat(exchange.header("Allow")).hasValue("GET, HEAD");
        assertThat(ApiDescription.read().violations("Problem", ApiDescription.parse(exchange.body())))
                .isEmpty();
    }
}
