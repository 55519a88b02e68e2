package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class UpgradeRequestInputStreamTest {
    private static ServletInputStream body(FakeHttpExchange exchange, String connection) {
        return UpgradeRequestInputStream.of(
                exchange.request(), new ByteArrayInputStream(connection.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static FakeHttpExchange post() {
        return new FakeHttpExchange("POST", "/");
    }

    private static ServletInputStream chunked(String connection) {
        return body(post().withHeader("Transfer-Encoding", "chunked"), connection);
    }

    private static String read(ServletInputStream body) throws IOException {
        String text = new String(body.readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(body.isFinished()).isTrue();
        assertThat(body.read()).isEqualTo(-1);
        return text;
    }

    private static void assertMalformed(ServletInputStream body) {
        assertThatThrownBy(body::readAllBytes)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.problem().type()).isEqualTo(ProblemType.VALIDATION));
    }

    @Test
    void bodyEndsAtItsLength() throws IOException {
        assertThat(read(body(post().withHeader("Content-Length", "3"), "abcGET /")))
                .isEqualTo("abc");
        assertThat(read(body(post().withHeader("Content-Length", "0"), "abc"))).isEmpty();
    }

    @Test
    void bodyWithoutALengthIsEmpty() throws IOException {
        assertThat(read(body(post(), "abc"))).isEmpty();
    }

    @Test
    void chunksAreJoinedUpToTheLastOne() throws IOException {
        assertThat(read(chunked("3\r\nabc\r\n0A \r\n0123456789\r\n0\r\n\r\nGET /")))
                .isEqualTo("abc0123456789");
        assertThat(read(chunked("0\r\n\r\n"))).isEmpty();
    }

    @Test
    void extensionsAndTrailersAreIgnored() throws IOException {
        assertThat(read(chunked("3;a=b;c\r\nabc\r\n00;d\r\nX: y\r\nZ: 1\r\n\r\nGET /")))
                .isEqualTo("abc");
    }

    @Test
    void bytesAreReadOneByOneToo() throws IOException {
        ServletInputStream body = chunked("1\r\na\r\n1\r\n\u00ff\r\n0\r\n\r\n");

        assertThat(body.read()).isEqualTo('a');
        assertThat(body.read()).isEqualTo(0xff);
        assertThat(body.read()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "3\r", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "0\r\n", "0\r\nX: y\r\n"})
    void connectionThatEndsWithinTheBodyIsAnError(String connection) {
        assertThatThrownBy(chunked(connection)::readAllBytes).isInstanceOf(EOFException.class);
        assertThatThrownBy(body(post().withHeader("Content-Length", "40"), connection)::readAllBytes)
                .isInstanceOf(EOFException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                ";a\r\n",
                " 3\r\nabc\r\n",
                "zz\r\n",
                "-1\r\n",
                "+3\r\n",
                "0x3\r\n",
                "3\nabc",
                "3\rabc",
                "ffffffffffffffff\r\n",
                "3\r\nabcd\r\n",
                "3\r\nabc\n0\r\n",
                "3\r\nabc3\r\n"
            })
    void malformedChunkIsRefused(String connection) {
        assertMalformed(chunked(connection));
    }

    @Test
    void lineAndTrailersAreBounded() {
        assertMalformed(chunked("3;" + "x".repeat(5_000)));
        assertMalformed(chunked("0\r\nX: " + "x".repeat(5_000)));
        assertMalformed(chunked("0\r\n" + "X: y\r\n".repeat(200)));
    }

    @Test
    void unclearEndIsRefused() {
        for (FakeHttpExchange exchange : new FakeHttpExchange[] {
            post().withHeader("Transfer-Encoding", "gzip, chunked"),
            post().withHeader("Transfer-Encoding", "xchunked"),
            post().withHeader("Transfer-Encoding", "chunked").withHeader("Transfer-Encoding", "chunked"),
            post().withHeader("Transfer-Encoding", "chunked").withHeader("Content-Length", "3"),
            post().withHeader("Content-Length", "3").withHeader("Content-Length", "3"),
            post().withHeader("Content-Length", "3, 3"),
            post().withHeader("Content-Length", "-3"),
            post().withHeader("Content-Length", "+3"),
            post().withHeader("Content-Length", ""),
            post().withHeader("Content-Length", "9999999999999999999"),
        }) {
            assertThatThrownBy(() -> body(exchange, "abc")).isInstanceOf(ProblemException.class);
        }
    }
}
