package org.sallyport.connector.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.HttpConnectionFactory;
import org.sallyport.connector.http.GuardedHttpClient.GuardedHttpResponse;
import org.sallyport.connector.http.GuardedHttpClient.ResponseTooLargeException;

/**
 * Reads responses up to a size. The status of a redirect or an error counts also if its body cannot be read.
 * Thread-safe.
 *
 * @param maxBytes maximum size of a body after decompression
 */
record GuardedResponseReader(int maxBytes) {
    private static final int MAX_ERROR_BYTES = 65_536;
    private static final int MAX_HEADER_LENGTH = 16_384;
    private static final int MAX_HEADERS = 200;
    private static final int MIN_FAILED_STATUS = 300;

    /** A redirect or an error of the server whose body is not read to its end. */
    static final class PartialErrorException extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient GuardedHttpResponse response;

        PartialErrorException(GuardedHttpResponse response) {
            this.response = response;
        }

        GuardedHttpResponse response() {
            return response;
        }
    }

    /** Returns a factory of connections that read a limited number of headers of a limited length. */
    static HttpConnectionFactory<ManagedHttpClientConnection> connectionFactory() {
        return ManagedHttpClientConnectionFactory.builder()
                .http1Config(Http1Config.custom()
                        .setMaxLineLength(MAX_HEADER_LENGTH)
                        .setMaxHeaderCount(MAX_HEADERS)
                        .build())
                .build();
    }

    /**
     * Reads a response. Throws {@link PartialErrorException} with the response and the beginning of its body, if it is
     * a redirect or an error whose body cannot be read or is longer than shown.
     */
    GuardedHttpResponse read(HttpUriRequestBase request, ClassicHttpResponse response) throws IOException {
        HttpEntity entity = response.getEntity();
        if (entity == null) {
            return toResponse(response, Optional.empty(), new byte[0]);
        }
        Optional<ContentType> type = Optional.ofNullable(ContentType.parseLenient(entity.getContentType()));
        if (response.getCode() >= MIN_FAILED_STATUS) {
            return toResponse(response, type, readFailure(request, response, entity, type));
        }
        try (InputStream in = entity.getContent()) {
            byte[] body = in.readNBytes(maxBytes + 1);
            if (body.length > maxBytes) {
                request.abort(); // closes the connection instead of reading the rest
                throw new ResponseTooLargeException(maxBytes);
            }
            return toResponse(response, type, body);
        }
    }

    /** The status is known, and it says that the call failed. The body only explains it. */
    private byte[] readFailure(
            HttpUriRequestBase request, ClassicHttpResponse response, HttpEntity entity, Optional<ContentType> type)
            throws IOException {
        int limit = Math.min(MAX_ERROR_BYTES, maxBytes);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (InputStream in = entity.getContent()) {
            byte[] buffer = new byte[8_192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                body.write(buffer, 0, Math.min(read, limit - body.size()));
                if (body.size() == limit) {
                    request.abort(); // closes the connection instead of reading the rest
                    throw new ResponseTooLargeException(limit);
                }
            }
            return body.toByteArray();
        } catch (IOException e) {
            throw new PartialErrorException(toResponse(response, type, body.toByteArray()));
        }
    }

    private static GuardedHttpResponse toResponse(
            ClassicHttpResponse response, Optional<ContentType> type, byte[] body) {
        Map<String, StringJoiner> joined = new TreeMap<>();
        for (Header header : response.getHeaders()) {
            joined.computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), name -> new StringJoiner(", "))
                    .add(String.valueOf(header.getValue()));
        }
        Map<String, String> headers = new TreeMap<>();
        joined.forEach((name, values) -> headers.put(name, values.toString()));
        return new GuardedHttpResponse(response.getCode(), type, body, headers);
    }
}
