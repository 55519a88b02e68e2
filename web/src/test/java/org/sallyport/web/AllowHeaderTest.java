package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.openapi.ApiDescription;

class AllowHeaderTest {
    @Test
    void methodsAreSortedAndGetIncludesHead() {
        assertThat(AllowHeader.value(List.of("POST", "GET", "OPTIONS", "GET"))).isEqualTo("GET, HEAD, OPTIONS, POST");
        assertThat(AllowHeader.value(List.of("POST", "DELETE"))).isEqualTo("DELETE, POST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void readsAreNotRefused(String method) throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange(method, "/health");

        assertThat(AllowHeader.refuseUnlessRead(exchange.request(), exchange.response()))
                .isFalse();
        assertThat(exchange.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"})
    void otherMethodsAreRefusedWithTheMethodsOfThePath(String method) throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange(method, "/health");

        assertThat(AllowHeader.refuseUnlessRead(exchange.request(), exchange.response()))
                .isTrue();
        assertThat(exchange.status()).isEqualTo(405);
        assertThat(exchange.header("Allow")).hasValue("GET, HEAD");
        assertThat(ApiDescription.read().violations("Problem", ApiDescription.parse(exchange.body())))
                .isEmpty();
    }
}
