package org.sallyport.web.audit;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditResult;
import org.sallyport.auth.Caller;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * Writes the audit entry of an {@link Audited} operation before it runs, and its result afterwards. Runs after
 * authorization. A caller without the required role is recorded as refused, up to a number of entries per minute.
 */
@Provider
@Priority(Priorities.USER + 1_000)
public class AuditRequestFilter implements ContainerRequestFilter, ContainerResponseFilter {
    private static final String PENDING_ENTRY = "org.sallyport.audit.begun";
    private static final int FORBIDDEN = 403;

    /** An entry whose result is still to be written, on any thread that sends the response. */
    private record PendingAuditEntry(AuditLog log, AuditEntry entry) {}

    @Context
    ResourceInfo operation;

    @Context
    HttpServletRequest request;

    @Override
    public void filter(ContainerRequestContext context) {
        @Nullable Audited audited = audited();
        if (audited != null && request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller) {
            AuditLog log = log();
            AuditEntry entry = AuditRecorder.beginEntry(
                    log, AuditActors.of(request, caller), audited.value(), pathObject(context));
            context.setProperty(PENDING_ENTRY, new PendingAuditEntry(log, entry));
        }
    }

    @Override
    public void filter(ContainerRequestContext context, ContainerResponseContext response) {
        if (context.getProperty(PENDING_ENTRY) instanceof PendingAuditEntry begun) {
            context.removeProperty(PENDING_ENTRY);
            begun.log()
                    .recordResult(
                            begun.entry(),
                            AuditResult.of(response.getStatus(), createdObject(response), note(context)));
        } else if (response.getStatus() == FORBIDDEN) {
            @Nullable Audited audited = audited();
            if (audited != null && request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller) {
                log().recordRefusal(AuditActors.of(request, caller), audited.value(), pathObject(context), FORBIDDEN);
            }
        }
    }

    private static String note(ContainerRequestContext context) {
        return context.getProperty(AuditRecorder.NOTE) instanceof String note ? note : "";
    }

    private @Nullable Audited audited() {
        @Nullable Method method = operation.getResourceMethod();
        return method == null ? null : method.getAnnotation(Audited.class);
    }

    /** The ids in the path, from left to right. */
    private static String pathObject(ContainerRequestContext context) {
        MultivaluedMap<String, String> named = context.getUriInfo().getPathParameters();
        List<String> values = new ArrayList<>();
        context.getUriInfo().getPathSegments().forEach(segment -> {
            if (named.values().stream().anyMatch(given -> given.contains(segment.getPath()))) {
                values.add(segment.getPath());
            }
        });
        if (values.isEmpty()) {
            named.values().forEach(values::addAll);
            Collections.sort(values);
        }
        return String.join("/", values);
    }

    /** The id in the {@code Location} of a created resource: all of the path after its collection. */
    private static String createdObject(ContainerResponseContext response) {
        @Nullable URI location = response.getLocation();
        @Nullable String path = location == null ? null : location.getPath();
        return path == null ? "" : path.replaceFirst("^.*/api/v1/[^/]+/", "").replace("/versions/", "/");
    }

    /** Looked up on each request: JAX-RS creates providers before the beans exist. */
    private static AuditLog log() {
        return CDI.current().select(AuditLog.class).get();
    }
}
