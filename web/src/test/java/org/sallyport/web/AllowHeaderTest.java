package org.sallyport.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AllowHeaderTest {
    @Test
    void methodsAreSortedAndGetIncludesHead() {
        assertThat(AllowHeader.value(List.of("POST", "GET", "OPTIONS", "GET"))).isEqualTo("GET, HEAD, OPTIONS, POST");
        assertThat(AllowHeader.value(List.of("POST", "DELETE"))).isEqualTo("DELETE, POST");
    }

    @Test
    void refusalNamesTheMethodsInTheHeaderAndInTheProblem() {
        FakeHttpExchange exchange = new FakeHttpExchange("PUT", "/mcp");

        Problem problem = AllowHeader.refuse(exchange.response(), "POST", "DELETE");

        assertThat(exchange.header("Allow")).hasValue("POST, DELETE");
        assertThat(problem.type()).isEqualTo(ProblemType.METHOD_NOT_ALLOWED);
        assertThat(problem.detail()).contains("POST, DELETE");
    }
}
