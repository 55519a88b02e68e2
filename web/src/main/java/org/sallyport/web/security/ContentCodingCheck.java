package org.sallyport.web.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Stream;

/** Recognizes bodies in a content coding, such as gzip. The service reads only bodies without one. */
final class ContentCodingCheck {
    /** The content coding that means none; the value of {@code Accept-Encoding} in an answer with the status 415. */
    static final String IDENTITY = "identity";

    private static final Set<String> METHODS_WITHOUT_BODY = Set.of("GET", "HEAD", "OPTIONS");

    private ContentCodingCheck() {}

    /** Whether the request has a body in a content coding. */
    static boolean isEncoded(HttpServletRequest request) {
        return hasBody(request)
                && !METHODS_WITHOUT_BODY.contains(request.getMethod())
                && Collections.list(request.getHeaders("Content-Encoding")).stream()
                        .flatMap(header -> Stream.of(header.split(",", -1)))
                        .anyMatch(coding -> !coding.isBlank() && !coding.strip().equalsIgnoreCase(IDENTITY));
    }

    /** A body has a length above zero, or comes in pieces; a request without both headers has none. */
    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }
}
