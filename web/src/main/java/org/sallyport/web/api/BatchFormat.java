package org.sallyport.web.api;

import jakarta.ws.rs.core.MediaType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** The format of the body of a batch. */
enum BatchFormat {
    /** An array of submissions, or an object with options and the array. */
    JSON,
    /** A JSON value in each line. */
    LINES,
    /** Like {@link #LINES}, made of an array of rows, so that its lines mean nothing to the client. */
    ROWS,
    /** RFC 4180, with a header. */
    CSV;

    /**
     * The format of a media type.
     *
     * @throws ProblemException if batches have no such format, or the text is not in UTF-8
     */
    static BatchFormat of(@Nullable MediaType type) {
        if (type != null
                && "utf-8".equalsIgnoreCase(type.getParameters().getOrDefault("charset", "utf-8"))
                && !"absent".equalsIgnoreCase(type.getParameters().get("header"))) {
            switch ((type.getType() + "/" + type.getSubtype()).toLowerCase(Locale.ROOT)) {
                case "application/json":
                    return JSON;
                case "application/x-ndjson":
                    return LINES;
                case "text/csv":
                    return CSV;
                default:
                    break;
            }
        }
        throw new ProblemException(
                ProblemType.UNSUPPORTED_MEDIA_TYPE,
                "send 'Content-Type: application/json', 'application/x-ndjson', or 'text/csv' with a header, in UTF-8,"
                        + " not " + type);
    }

    /** Part of the request hash of an idempotency key, so it must never change for the same request. */
    String hashedName() {
        return switch (this) {
            case JSON -> "false";
            case LINES -> "true";
            case ROWS -> "rows";
            case CSV -> "csv";
        };
    }
}
