package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.URISyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlParserTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://x/n?a=b%20c&d=ä     | http://x/n?a=b%20c&d=%C3%A4",
                "http://x/a b/100%?q=<>     | http://x/a%20b/100%25?q=%3C%3E",
                "https://bücher.example/x   | https://xn--bcher-kva.example/x",
                "https://BÜCHER.example:8443/ | https://xn--bcher-kva.example:8443/",
                "http://x/😀                | http://x/%F0%9F%98%80",
                "http://x?ä                 | http://x?%C3%A4",
                "http://[2001:db8::1]:80/ä  | http://[2001:db8::1]:80/%C3%A4",
                "HTTP://x/%c3%a4?a[b]=c     | HTTP://x/%c3%a4?a[b]=c",
                "http://x/a[1]/{b}?c[]=d#e  | http://x/a%5B1%5D/%7Bb%7D?c[]=d#e",
                "http://[::1]/a[1]          | http://[::1]/a%5B1%5D",
            })
    void charactersBeyondAsciiAndBlanksAreEncoded(String url, String parsed) throws URISyntaxException {
        assertThat(UrlParser.parse(url)).hasToString(parsed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://x/a\nb",
                "http://x/a\\b",
                "http://exa mple.org/",
                "http://a\\@b/",
                "http://faß.example/",
                "http://１２７.0.0.1/",
                "http://a。b/",
                "http://x:80:80/ä",
                " http://x/a",
                "http://x/a ",
                "http://x/a\u00a0",
                " ",
            })
    void textWithAnotherMeaningOrNoneIsRefused(String url) {
        assertThatThrownBy(() -> UrlParser.parse(url)).isInstanceOf(URISyntaxException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/items/     | http://x:1/v1/items/",
                "items/?a=b c   | http://x:1/v1/items/?a=b%20c",
                "?page=2        | http://x:1/v1/items?page=2",
                "//y/z          | http://y/z",
                "https://y/z    | https://y/z",
                "//[::1]/a[1]   | http://[::1]/a%5B1%5D",
                "/a[1]?b[]=c    | http://x:1/a%5B1%5D?b[]=c",
                "b?c=http://y/[ | http://x:1/v1/b?c=http://y/[",
                "/gr\u00c3\u00b6\u00c3\u009fe | http://x:1/gr%C3%B6%C3%9Fe",
            })
    void locationIsResolvedAsBytes(String location, String target) throws URISyntaxException {
        assertThat(UrlParser.resolveLocation(URI.create("http://x:1/v1/items?page=1"), location))
                .hasToString(target);
    }

    @Test
    void referenceOfADocumentIsReadAsText() throws URISyntaxException {
        URI document = URI.create("https://x/docs/api.yaml");
        assertThat(UrlParser.resolve(document, "/v 1/größe")).hasToString("https://x/v%201/gr%C3%B6%C3%9Fe");
        assertThat(UrlParser.resolve(document, "../v1")).hasToString("https://x/v1");
        assertThat(UrlParser.resolve(document, "https://bücher.example/ä"))
                .hasToString("https://xn--bcher-kva.example/%C3%A4");
    }

    @ParameterizedTest
    @CsvSource({
        "http://x/, true",
        "http://x:1/, true",
        "http://x:65535/, true",
        "http://x:0/, false",
        "http://x:65536/, false"
    })
    void portIsFromOneTo65535(String url, boolean valid) throws URISyntaxException {
        assertThat(UrlParser.hasValidPort(UrlParser.parse(url))).isEqualTo(valid);
    }
}
