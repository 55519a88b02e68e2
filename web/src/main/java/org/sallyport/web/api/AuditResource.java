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
import java.io.ByteArrayOutputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Role;
import org.sallyport.audit.AuditFilter;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditRecord;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.JsonText;
import org.sallyport.web.security.Allowed;

/** The tenant's audit log, to be read and taken away. */
@ApplicationScoped
@Path("audit")
@Allowed(Role.AUDITOR)
public class AuditResource {
    static final String LINES = "application/x-ndjson";

    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int LARGEST_EXPORT = 10_000;
    /** The subject of a token, with its issuer, is the longest that an entry holds. */
    private static final int LONGEST = 600;

    private final InstantSource clock = InstantSource.system();

    @Inject
    AuditLog log;

    @GET
    @Produces({MediaType.APPLICATION_JSON, LINES})
    public Response list(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @QueryParam("actor") @Nullable String actor,
            @QueryParam("action") @Nullable String action,
            @QueryParam("object") @Nullable String object,
            @QueryParam("since") @Nullable String since,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        boolean lines = headers.getAcceptableMediaTypes().get(0).toString().startsWith(LINES);
        int most = lines ? LARGEST_EXPORT : LARGEST_PAGE;
        int size = (int)
                Math.min(most, Parameters.whole("limit", limit, lines ? LARGEST_EXPORT : PAGE, 1, Integer.MAX_VALUE));
        AuditFilter filter = new AuditFilter(
                text("actor", actor),
                text("action", action),
                text("object", object),
                text("since", since).map(when -> Moments.since("since", when, clock.instant())));
        List<AuditRecord> page = log.list(
                Requests.caller(request).tenant(), filter, Cursor.decode(cursor).map(ExecutionId::value), size + 1);
        boolean more = page.size() > size;
        List<ObjectNode> shown =
                page.stream().limit(size).map(AuditResource::represent).toList();
        Optional<String> next = more
                ? Optional.of(
                        Cursor.encode(new ExecutionId(page.get(size - 1).entry().id())))
                : Optional.empty();
        return lines ? lines(shown, next) : json(shown, next);
    }

    private static Response json(List<ObjectNode> shown, Optional<String> next) {
        return Response.ok(Representation.list(shown, next), MediaType.APPLICATION_JSON_TYPE)
                .build();
    }

    /** One entry a line; where more follows is said in a header. */
    private static Response lines(List<ObjectNode> shown, Optional<String> next) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        shown.forEach(entry -> {
            text.writeBytes(JsonText.bytes(entry));
            text.write('\n');
        });
        Response.ResponseBuilder response = Response.ok(text.toByteArray(), LINES)
                .header("Content-Disposition", "attachment; filename=\"audit.ndjson\"");
        next.ifPresent(cursor -> response.header("X-Next-Cursor", cursor));
        return response.build();
    }

    private static Optional<String> text(String name, @Nullable String given) {
        if (given != null && given.length() > LONGEST) {
            throw Parameters.fault(name, "must have at most " + LONGEST + " characters");
        }
        return Optional.ofNullable(given).filter(text -> !text.isEmpty());
    }

    private static ObjectNode represent(AuditRecord record) {
        ObjectNode json = Representation.object();
        json.put("id", record.entry().id().toString());
        json.put("at", record.at().toString());
        json.put("actor", record.entry().actor());
        json.put("door", word(record.entry().door()));
        json.put("address", record.entry().address());
        json.put("action", record.entry().action());
        String object = record.result()
                .map(result -> result.made())
                .filter(made -> !made.isEmpty())
                .orElse("");
        json.put(
                "object",
                record.entry().object().isEmpty() ? object : record.entry().object());
        if (!record.entry().object().isEmpty() && !object.isEmpty()) {
            json.put("made", object);
        }
        json.put("result", record.result().map(result -> word(result.kind())).orElse("unknown"));
        record.result().filter(result -> result.status() > 0).ifPresent(result -> json.put("status", result.status()));
        record.result().filter(result -> !result.note().isEmpty()).ifPresent(result -> json.put("note", result.note()));
        return json;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
