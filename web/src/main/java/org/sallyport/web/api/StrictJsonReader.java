package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;

/**
 * Reads request bodies: bounded in size, one JSON object within the limits of {@link BoundedJson}. Any other body is a
 * problem that says where it is invalid. Reserves the memory of a body before it is parsed.
 */
@Dependent
public class StrictJsonReader {
    private static final int CHUNK_BYTES = 64 << 10;

    private final Configuration configuration;
    private final RequestMemory memory;

    @Inject
    public StrictJsonReader(Configuration configuration, RequestMemory memory) {
        this.configuration = configuration;
        this.memory = memory;
    }

    /**
     * Reads the body of a request.
     *
     * @throws ProblemException if the body is invalid or too large
     */
    public ObjectNode read(HttpHeaders headers, InputStream in) {
        return read(headers, in, LimitSettings.MAX_BODY_BYTES);
    }

    /**
     * Reads the body of a request.
     *
     * @param limit the setting that bounds the bytes, besides the bound of all bodies
     * @throws ProblemException if the body is invalid or too large
     */
    ObjectNode read(HttpHeaders headers, InputStream in, Setting<Long> limit) {
        requireJson(headers.getMediaType());
        byte[] bytes = readBounded(headers.getLength(), in, limit);
        return BoundedJson.parseObject(bytes);
    }

    /**
     * Reads the body of a request that may have none.
     *
     * @throws ProblemException if there is a body that is invalid or too large
     */
    Optional<ObjectNode> readIfPresent(HttpHeaders headers, InputStream in) {
        PushbackInputStream body = new PushbackInputStream(in);
        try {
            int first = body.read();
            if (first < 0) {
                return Optional.empty();
            }
            body.unread(first);
        } catch (IOException e) {
            throw incomplete();
        }
        return Optional.of(read(headers, body));
    }

    /**
     * The raw body of a request that does not go to a JAX-RS resource.
     *
     * @throws ProblemException if the body is too large
     */
    public byte[] readBytes(HttpServletRequest request) {
        return readBytes(request, LimitSettings.MAX_BODY_BYTES);
    }

    /**
     * The raw body of a request that does not go to a JAX-RS resource.
     *
     * @param limit the setting that bounds the bytes, besides the bound of all bodies
     * @throws ProblemException if the body is too large
     */
    public byte[] readBytes(HttpServletRequest request, Setting<Long> limit) {
        @Nullable String type = request.getContentType();
        try {
            requireJson(type == null ? null : MediaType.valueOf(type));
            return readBounded(request.getContentLengthLong(), request.getInputStream(), limit);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json'");
        } catch (IOException e) {
            throw incomplete();
        }
    }

    private static void requireJson(@Nullable MediaType type) {
        boolean json = type != null
                && "application".equalsIgnoreCase(type.getType())
                && "json".equalsIgnoreCase(type.getSubtype())
                && "utf-8".equalsIgnoreCase(type.getParameters().getOrDefault("charset", "utf-8"));
        if (!json) {
            throw new ProblemException(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json', in UTF-8, not " + type);
        }
    }

    private byte[] readBounded(long length, InputStream in, Setting<Long> limitSetting) {
        int general = configuration.getInt(LimitSettings.MAX_BODY_BYTES);
        Setting<Long> setting =
                configuration.getInt(limitSetting) < general ? limitSetting : LimitSettings.MAX_BODY_BYTES;
        int limit = configuration.getInt(setting);
        try {
            if (length > limit) {
                throw tooLarge(limit, setting);
            }
            byte[] bytes = readReserved(in, limit + 1);
            if (bytes.length > limit) {
                throw tooLarge(limit, setting);
            }
            memory.reserve(BoundedJson.estimateTreeBytes(bytes));
            return bytes;
        } catch (IOException e) {
            throw incomplete();
        }
    }

    /** Reserves memory as the bytes arrive, so that a body that only announces its size needs none. */
    private byte[] readReserved(InputStream in, int max) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] chunk;
        do {
            chunk = in.readNBytes(Math.min(CHUNK_BYTES, max - bytes.size()));
            memory.reserve(chunk.length);
            bytes.writeBytes(chunk);
        } while (chunk.length == CHUNK_BYTES);
        return bytes.toByteArray();
    }

    private static ProblemException incomplete() {
        return new ProblemException(ProblemType.VALIDATION, "the body ended before it was complete");
    }

    private static ProblemException tooLarge(int limit, Setting<Long> setting) {
        return new ProblemException(
                ProblemType.PAYLOAD_TOO_LARGE,
                "the body is larger than " + limit + " bytes (the server's " + setting.name() + ")");
    }
}
