package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.FakeHttpExchange;

class RequestFramingFilterTest {
    private final RequestFramingFilter filter = new RequestFramingFilter();
    private boolean passed;

    private FakeHttpExchange ask(String protocol, String headers) throws ServletException, IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("POST", "/mcp").withProtocol(protocol);
        for (String header : headers.split(" \\| ")) {
            if (!header.isEmpty()) {
                String[] parts = header.split(": ", 2);
                exchange.withHeader(parts[0], parts[1]);
            }
        }
        filter.doFilter(exchange.request(), exchange.response(), (request, response) -> passed = true);
        return exchange;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Host: a | Host: a",
                "Host: a | Host: b",
                "Host: a | Transfer-Encoding: chunked | Transfer-Encoding: chunked",
                "Host: a | Transfer-Encoding: chunked, identity",
                "Host: a | Transfer-Encoding: identity, chunked",
                "Host: a | Transfer-Encoding: identity",
                "Host: a | Transfer-Encoding: xchunked",
                "Host: a | Transfer-Encoding: chunked | Content-Length: 5",
                "Host: a | Content-Length: 5 | Content-Length: 5"
            })
    void ambiguousRequestIsRefused(String headers) throws ServletException, IOException {
        FakeHttpExchange exchange = ask("HTTP/1.1", headers);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(400);
        assertThat(exchange.header("Connection")).hasValue("close");
    }

    @ParameterizedTest
    @CsvSource({"HTTP/0.9, ''", "HTTP/1.0, Host: a | Host: b", "HTTP/1.0, Host: a | Transfer-Encoding: chunked"})
    void ambiguousRequestOfAnotherVersionIsRefused(String protocol, String headers)
            throws ServletException, IOException {
        assertThat(ask(protocol, headers).status()).isEqualTo(400);
        assertThat(passed).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1, Host: a",
        "HTTP/1.1, Host: a | Content-Length: 5",
        "HTTP/1.1, Host: a | Transfer-Encoding: chunked",
        "HTTP/1.1, Host: a | Transfer-Encoding: Chunked",
        "HTTP/1.0, ''",
        "HTTP/1.0, Host: a | Content-Length: 5",
        "HTTP/2.0, ''"
    })
    void clearRequestPasses(String protocol, String headers) throws ServletException, IOException {
        ask(protocol, headers);

        assertThat(passed).isTrue();
    }
}
