package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Role;
import org.sallyport.policy.CostReportLine;
import org.sallyport.policy.CostStore;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.RolesAllowed;

/** The costs of calls: of the caller's tenant, and of all tenants, by tenant, for operators of the installation. */
@ApplicationScoped
@Path("costs")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class CostsResource {
    private static final int DEFAULT_PAGE_SIZE = 100;
    private static final int MAX_PAGE_SIZE = 1_000;

    @Inject
    CostStore costs;

    @GET
    public Response report(
            @Context HttpServletRequest request,
            @QueryParam("since") @Nullable String since,
            @QueryParam("by") @Nullable String by,
            @QueryParam("limit") @Nullable String limit) {
        LocalDate first = since(since);
        CostReportLine.CostGrouping what = by(by);
        int maxLines = (int) RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE);
        boolean all = what == CostReportLine.CostGrouping.TENANT
                && request.getAttribute(AuthenticationFilter.OPERATOR_TENANT) != null;
        Optional<String> tenant = all
                ? Optional.empty()
                : Optional.of(RequestContexts.caller(request).tenant());
        List<CostReportLine> lines = costs.report(tenant, first, what, maxLines);
        ObjectNode json = ExecutionMapper.object();
        json.put("since", first.toString());
        json.put("by", what.name().toLowerCase(Locale.ROOT));
        ArrayNode items = json.putArray("items");
        lines.forEach(line -> items.addObject()
                .put("name", line.name())
                .put("cost", line.cost().amount())
                .put("calls", line.calls()));
        return Response.ok(json).build();
    }

    /** The first day of the report; the first of the current month by default. */
    private static LocalDate since(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return YearMonth.now(ZoneOffset.UTC).atDay(1);
        }
        try {
            LocalDate day = LocalDate.parse(text);
            if (day.getYear() >= 1 && day.getYear() <= 9_999) {
                return day;
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        throw RequestParameters.invalidParameter("since", "must be a day such as 2026-11-01");
    }

    private static CostReportLine.CostGrouping by(@Nullable String text) {
        return switch (text == null ? "" : text) {
            case "", "tool" -> CostReportLine.CostGrouping.TOOL;
            case "key" -> CostReportLine.CostGrouping.KEY;
            case "tenant" -> CostReportLine.CostGrouping.TENANT;
            case "day" -> CostReportLine.CostGrouping.DAY;
            default -> throw RequestParameters.invalidParameter("by", "must be tool, key, tenant or day");
        };
    }
}
