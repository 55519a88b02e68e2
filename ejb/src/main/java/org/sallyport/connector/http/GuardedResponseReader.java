package org.sallyport.connector.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.sallyport.connector.http.GuardedHttpClient.GuardedHttpResponse;
import org.sallyport.connector.http.GuardedHttpClient.ResponseTooLargeException;

/**
 * Reads responses up to a size. The status of an error counts also if its body cannot be read. Thread-safe.
 *
 * @param maxBytes maximum size of a body after decompression
 */
record GuardedResponseReader(int maxBytes) {
    private static final int MAX_ERROR_BYTES = 65_536;

    /** An error of the server whose body is not read to its end. */
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

    /**
     * Reads a response. Throws {@link PartialErrorException} with the response if it is an error whose body cannot be
     * read or is longer than shown.
     */
    GuardedHttpResponse read(HttpUriRequestBase request, ClassicHttpResponse response) throws IOException {
        HttpEntity entity = response.getEntity();
        if (entity == null) {
            return toResponse(response, Optional.empty(), new byte[0]);
        }
        Optional<ContentType> type = Optional.ofNullable(ContentType.parseLenient(entity.getContentType()));
        boolean failed = response.getCode() >= 400;
        int limit = failed ? Math.min(MAX_ERROR_BYTES, maxBytes) : maxBytes;
        byte[] body = new byte[0];
        try (InputStream in = entity.getContent()) {
            body = in.readNBytes(limit + 1);
            if (body.length > limit) {
                request.abort(); // closes the connection instead of reading the rest
                throw new ResponseTooLargeException(limit);
            }
        } catch (IOException e) {
            if (!failed) {
                throw e;
            }
            // The status is known, and it says that the call failed.
            throw new PartialErrorException(
                    toResponse(response, type, Arrays.copyOf(body, Math.min(body.length, limit))));
        }
        return toResponse(response, type, body);
    }

    private static GuardedHttpResponse toResponse(
            ClassicHttpResponse response, Optional<ContentType> type, byte[] body) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : response.getHeaders()) {
            headers.merge(
                    header.getName().toLowerCase(Locale.ROOT),
                    String.valueOf(header.getValue()),
                    (before, more) -> before + ", " + more);
        }
        return new GuardedHttpResponse(response.getCode(), type, body, headers);
    }
}
