package org.sallyport.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, without a server. Supports only the methods that the servlets use; any other method
 * fails the test.
 */
public final class FakeHttpExchange {
    private final String method;
    private final String path;
    private final Map<String, List<String>> requestHeaders = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, Object> attributes = new HashMap<>();
    private final Map<String, String> responseHeaders = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final ByteArrayOutputStream responseBody = new ByteArrayOutputStream();
    private byte[] requestBody = new byte[0];
    private Runnable bodyRead = () -> {};
    private boolean secure;
    private String remoteAddress = "127.0.0.1";
    private String protocol = "HTTP/1.1";
    private int status = 200;

    public FakeHttpExchange(String method, String path) {
        this.method = method;
        this.path = path;
    }

    /** Adds a request header. */
    public FakeHttpExchange withHeader(String name, String value) {
        requestHeaders.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
        return this;
    }

    /** Marks the request as received over TLS. */
    public FakeHttpExchange overTls() {
        secure = true;
        return this;
    }

    /** Sets the client address of the request. */
    public FakeHttpExchange fromAddress(String remote) {
        remoteAddress = remote;
        return this;
    }

    /** Sets the version of HTTP of the request. */
    public FakeHttpExchange withProtocol(String version) {
        protocol = version;
        return this;
    }

    /** Sets the body and the content type of the request. */
    public FakeHttpExchange body(String type, String text) {
        requestBody = text.getBytes(StandardCharsets.UTF_8);
        return withHeader("Content-Type", type);
    }

    /** Sets what happens while the service waits for the body. */
    public FakeHttpExchange whenBodyIsRead(Runnable event) {
        bodyRead = event;
        return this;
    }

    public int status() {
        return status;
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(responseHeaders.get(name));
    }

    public byte[] body() {
        return responseBody.toByteArray();
    }

    public String text() {
        return responseBody.toString(StandardCharsets.UTF_8);
    }

    public Optional<Object> attribute(String name) {
        return Optional.ofNullable(attributes.get(name));
    }

    public HttpServletRequest request() {
        return fake(HttpServletRequest.class, (proxy, called, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            return switch (called.getName()) {
                case "getCookies" -> cookies();
                case "isSecure" -> secure;
                case "getRemoteAddr" -> remoteAddress;
                case "getProtocol" -> protocol;
                case "getContentType" -> first("Content-Type");
                case "getContentLengthLong" -> contentLength();
                case "getInputStream" -> {
                    bodyRead.run();
                    yield new RequestBodyStream(requestBody);
                }
                // A servlet is mapped to the first segment.
                case "getPathInfo" -> path.substring(path.indexOf('/', 1));
                case "getMethod" -> method;
                case "getParameterValues" -> null;
                case "getRequestURI" -> path;
                case "getHeader" -> first((String) arguments[0]);
                case "getHeaders" ->
                    Collections.enumeration(requestHeaders.getOrDefault((String) arguments[0], List.of()));
                case "getAttribute" -> attributes.get((String) arguments[0]);
                case "setAttribute" -> attributes.put((String) arguments[0], arguments[1]);
                default -> throw new UnsupportedOperationException(called.toString());
            };
        });
    }

    private long contentLength() {
        String length = first("Content-Length");
        return length == null ? -1 : Long.parseLong(length);
    }

    public HttpServletResponse response() {
        return fake(HttpServletResponse.class, (proxy, called, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            switch (called.getName()) {
                case "setStatus" -> status = (Integer) arguments[0];
                case "setHeader" -> responseHeaders.put((String) arguments[0], (String) arguments[1]);
                case "setContentType" -> responseHeaders.put("Content-Type", (String) arguments[0]);
                case "resetBuffer" -> responseBody.reset();
                case "isCommitted" -> {
                    return false;
                }
                case "setContentLength", "setContentLengthLong" ->
                    responseHeaders.put("Content-Length", arguments[0].toString());
                case "containsHeader" -> {
                    return responseHeaders.containsKey((String) arguments[0]);
                }
                case "getOutputStream" -> {
                    return new ResponseBodyStream();
                }
                default -> throw new UnsupportedOperationException(called.toString());
            }
            return null;
        });
    }

    private Cookie @Nullable [] cookies() {
        List<String> values = requestHeaders.getOrDefault("Cookie", List.of());
        return values.isEmpty()
                ? null
                : values.stream()
                        .map(value -> value.split("=", 2))
                        .map(pair -> new Cookie(pair[0], pair[1]))
                        .toArray(Cookie[]::new);
    }

    private @Nullable String first(String name) {
        List<String> values = requestHeaders.getOrDefault(name, List.of());
        return values.isEmpty() ? null : values.get(0);
    }

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static final class RequestBodyStream extends ServletInputStream {
        private final ByteArrayInputStream in;

        RequestBodyStream(byte[] content) {
            in = new ByteArrayInputStream(content);
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public boolean isFinished() {
            return in.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    private final class ResponseBodyStream extends ServletOutputStream {
        @Override
        public void write(int b) {
            responseBody.write(b);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    }
}
