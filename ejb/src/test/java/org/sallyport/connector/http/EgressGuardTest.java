package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressGuardTest {
    private static EgressGuard guard(boolean inside, String address, String... allowed) {
        return new EgressGuard(List.of(allowed), inside, name -> new InetAddress[] {InetAddress.getByName(address)});
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.1.2.3",
                "100.64.0.1",
                "127.0.0.1",
                "127.255.0.9",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.8",
                "192.168.1.1",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b:1::a00:1",
                "2002:7f00:1::1",
                "2001::1",
                "2001:db8::1",
                "fc00::1",
                "fd12:3456::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "100::1",
            })
    void nonPublicAddressIsRefusedUnderAnyName(String address) {
        assertThatThrownBy(() -> guard(false, address, "api.example.org").resolveAllowed("api.example.org"))
                .isInstanceOf(EgressDeniedException.class);
        assertThatCode(() -> guard(true, address, "api.example.org").resolveAllowed("api.example.org"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"})
    void publicAddressIsResolved(String address) throws UnknownHostException {
        assertThat(guard(false, address, "*.example.org").resolveAllowed("api.example.org"))
                .containsExactly(InetAddress.getByName(address));
    }

    @Test
    void oneNonPublicAddressRefusesTheHost() {
        EgressGuard guard = new EgressGuard(List.of("a.example"), false, name ->
                new InetAddress[] {InetAddress.getByName("8.8.8.8"), InetAddress.getByName("10.0.0.1")});
        assertThatThrownBy(() -> guard.resolveAllowed("a.example")).isInstanceOf(EgressDeniedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://other.example/",
                "http://example.org.evil.com/",
                "http://api.example.org@evil.com/",
                "http://evil.com#api.example.org",
                "http://user:pw@api.example.org/",
                "gopher://api.example.org/",
                "file:///etc/passwd",
                "ftp://api.example.org/",
                "jar:http://api.example.org!/",
                "//api.example.org/",
                "http:///x",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://0x7f000001/",
                "http://0177.0.0.1/",
                "http://127.1/",
                "http://localhost./",
                "http://localhost/",
                "http://[::1]/",
                "http://[::ffff:127.0.0.1]/",
                "http://169.254.169.254/latest/meta-data",
                "http://api.example.org\\@evil.com/",
                "http://api.example.org\r\nX: y/",
                "http://аpi.example.org/",
                "http://api.example.org:0/",
                "http://api.example.org:65536/",
                "http://api.example.org/a\nb",
                "",
            })
    void unlistedHostOrMalformedUrlIsRefused(String url) {
        assertThatThrownBy(() -> guard(false, "8.8.8.8", "api.example.org", "*.inner.example")
                        .parseAllowed(url))
                .isInstanceOf(EgressDeniedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2130706433", "0x7f.1", "0177.0.0.1", "127.1"})
    void unusualHostNotationIsRefusedEvenWhenListed(String host) {
        assertThatThrownBy(() -> guard(true, "8.8.8.8", host).parseAllowed("http://" + host + "/"))
                .isInstanceOf(EgressDeniedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://api.example.org/a?b=c",
                "HTTPS://API.Example.ORG./",
                "http://deep.er.inner.example:8080/",
                "http://api.example.org:65535/größe und mehr",
                "https://bücher.example/",
                "https://xn--bcher-kva.example/",
                "https://a.münchen.example/",
            })
    void listedHostIsAllowed(String url) {
        assertThatCode(() -> guard(
                                false,
                                "8.8.8.8",
                                "api.example.org",
                                "*.inner.example",
                                "bücher.example",
                                "*.münchen.example")
                        .parseAllowed(url))
                .doesNotThrowAnyException();
    }
}
