package org.sallyport.web.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Reads request bodies: bounded in size, UTF-8, one JSON object, no duplicate member, numbers with all their digits.
 * Any other body is a problem that says where it is invalid.
 */
@Dependent
public class StrictJsonReader {
    private static final int MAX_NESTING_DEPTH = 200;
    private static final int MAX_NUMBER_LENGTH = 1_000;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING_DEPTH)
                            .maxNumberLength(MAX_NUMBER_LENGTH)
                            .maxStringLength(Integer.MAX_VALUE) // the body as a whole is bounded
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Configuration configuration;

    @Inject
    public StrictJsonReader(Configuration configuration) {
        this.configuration = configuration;
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
        return parseObject(bytes);
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
            byte[] bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw tooLarge(limit, setting);
            }
            return bytes;
        } catch (IOException e) {
            throw incomplete();
        }
    }

    private static ProblemException incomplete() {
        return new ProblemException(ProblemType.VALIDATION, "the body ended before it was complete");
    }

    private static ProblemException tooLarge(int limit, Setting<Long> setting) {
        return new ProblemException(
                ProblemType.PAYLOAD_TOO_LARGE,
                "the body is larger than " + limit + " bytes (the server's " + setting.name() + ")");
    }

    /**
     * Parses one JSON object.
     *
     * @throws ProblemException if the bytes are anything else
     */
    static ObjectNode parseObject(byte[] bytes) {
        if (parseTree(bytes) instanceof ObjectNode object) {
            return object;
        }
        throw new ProblemException(ProblemType.VALIDATION, "the body must be one JSON object");
    }

    /**
     * Parses one JSON value.
     *
     * @throws ProblemException if the bytes are anything else
     */
    public static JsonNode parseTree(byte[] bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (NumberFormatException e) {
            throw new ProblemException(ProblemType.VALIDATION, "the body has a number too large to be read");
        } catch (IOException e) {
            throw new ProblemException(toProblem(e));
        }
    }

    /** The problem of a text that cannot be parsed as JSON. */
    static Problem toProblem(IOException failure) {
        try {
            throw failure;
        } catch (StreamConstraintsException e) {
            return Problem.of(
                    ProblemType.VALIDATION,
                    "the body is nested deeper than " + MAX_NESTING_DEPTH + " levels or has a number of more than "
                            + MAX_NUMBER_LENGTH + " digits");
        } catch (MismatchedInputException e) {
            return Problem.of(ProblemType.VALIDATION, "the body has content after its JSON object");
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            int line = at == null ? 0 : at.getLineNr();
            int column = at == null ? 0 : at.getColumnNr();
            return Problem.of(
                    ProblemType.VALIDATION,
                    "the body is not valid JSON: " + firstLine(e.getOriginalMessage()),
                    members -> members.put("line", line).put("column", column));
        } catch (IOException e) {
            // The bytes are not UTF-8.
            return Problem.of(ProblemType.VALIDATION, "the body is not valid JSON in UTF-8");
        }
    }

    private static String firstLine(String message) {
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return line.length() > 300 ? line.substring(0, 300) + "…" : line;
    }
}
