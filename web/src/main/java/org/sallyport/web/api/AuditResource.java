package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.audit.AuditFilter;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.RecordedAuditEntry;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.security.RolesAllowed;

/** The tenant's audit log, as pages or for export. */
@ApplicationScoped
@Path("audit")
@RolesAllowed(Role.AUDITOR)
public class AuditResource {
    static final String NDJSON = "application/x-ndjson";

    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_EXPORT_ENTRIES = 10_000;
    /** Maximum length of a filter. The subject of a token, with its issuer, is the longest value in an entry. */
    private static final int MAX_FILTER_LENGTH = 600;

    private final InstantSource clock = InstantSource.system();

    @Inject
    AuditLog log;

    @GET
    @Produces({MediaType.APPLICATION_JSON, NDJSON})
    public Response list(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @QueryParam("actor") @Nullable String actor,
            @QueryParam("action") @Nullable String action,
            @QueryParam("object") @Nullable String object,
            @QueryParam("since") @Nullable String since,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        boolean lines = headers.getAcceptableMediaTypes().get(0).toString().startsWith(NDJSON);
        int maxSize = lines ? MAX_EXPORT_ENTRIES : MAX_PAGE_SIZE;
        int size = (int) Math.min(
                maxSize,
                RequestParameters.longInRange(
                        "limit", limit, lines ? MAX_EXPORT_ENTRIES : DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        AuditFilter filter = new AuditFilter(
                text("actor", actor),
                text("action", action),
                text("object", object),
                text("since", since).map(when -> Iso8601.parseSince("since", when, clock.instant())));
        List<RecordedAuditEntry> page = log.list(
                RequestContexts.caller(request).tenant(),
                filter,
                Cursor.decode(cursor).map(ExecutionId::value),
                size + 1);
        boolean more = page.size() > size;
        List<ObjectNode> shown =
                page.stream().limit(size).map(AuditResource::represent).toList();
        Optional<String> next = more
                ? Optional.of(
                        Cursor.encode(new ExecutionId(page.get(size - 1).entry().id())))
                : Optional.empty();
        return lines ? ndjson(shown, next) : json(shown, next);
    }

    private static Response json(List<ObjectNode> shown, Optional<String> next) {
        return Response.ok(ExecutionMapper.list(shown, next), MediaType.APPLICATION_JSON_TYPE)
                .build();
    }

    /** Writes one entry per line. A header gives the cursor of the next page. */
    private static Response ndjson(List<ObjectNode> shown, Optional<String> next) {
        StreamingOutput text = out -> {
            for (ObjectNode entry : shown) {
                JsonUtf8Writer.write(entry, out);
                out.write('\n');
            }
        };
        Response.ResponseBuilder response =
                Response.ok(text, NDJSON).header("Content-Disposition", "attachment; filename=\"audit.ndjson\"");
        next.ifPresent(cursor -> response.header("X-Next-Cursor", cursor));
        return response.build();
    }

    private static Optional<String> text(String name, @Nullable String given) {
        if (given != null && given.length() > MAX_FILTER_LENGTH) {
            throw RequestParameters.invalidParameter(name, "must have at most " + MAX_FILTER_LENGTH + " characters");
        }
        return Optional.ofNullable(given).filter(text -> !text.isEmpty());
    }

    private static ObjectNode represent(RecordedAuditEntry record) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", record.entry().id().toString());
        json.put("at", record.recordedAt().toString());
        json.put("actor", record.entry().actor());
        json.put("channel", lowerCaseName(record.entry().channel()));
        json.put("address", record.entry().address());
        json.put("action", record.entry().action());
        String object = record.result()
                .map(result -> result.created())
                .filter(created -> !created.isEmpty())
                .orElse("");
        json.put(
                "object",
                record.entry().object().isEmpty() ? object : record.entry().object());
        if (!record.entry().object().isEmpty() && !object.isEmpty()) {
            json.put("made", object);
        }
        json.put(
                "result",
                record.result().map(result -> lowerCaseName(result.outcome())).orElse("unknown"));
        record.result().filter(result -> result.status() > 0).ifPresent(result -> json.put("status", result.status()));
        record.result().filter(result -> !result.note().isEmpty()).ifPresent(result -> json.put("note", result.note()));
        return json;
    }

    private static String lowerCaseName(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
