package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tenants}: one page of them. */
@Command(
        name = "tenants",
        description = {
            "Lists the tenants, and what each does.",
            "For operators, auditors and administrators of the tenant that operates the installation."
        })
final class TenantsCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Option(names = "--limit", paramLabel = "N", description = "Tenants on a page (50).")
    private int limit = 50;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "The page that follows, as the last one said.")
    private @Nullable String cursor;

    TenantsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Map<String, String> parameters = new TreeMap<>(Map.of("limit", Integer.toString(limit)));
        if (cursor != null) {
            parameters.put("cursor", cursor);
        }
        ObjectNode page = sallyport.service().api().tenants(parameters);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        Table table = new Table("TENANT", "QUEUED", "LIVE", "KEYS", "QUOTAS", "COST THIS MONTH");
        page.path("items").forEach(tenant -> row(table, tenant));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        String next = Json.text(page, "next");
        if (!next.isEmpty()) {
            terminal.note("More: sallyport tenants --limit " + limit + " --cursor " + Visible.line(next));
        }
        return Exit.COMPLETED.code();
    }

    private static void row(Table table, JsonNode tenant) {
        table.row(
                Json.text(tenant, "tenant"),
                tenant.path("queued").asText(),
                tenant.path("live").asText(),
                tenant.path("apiKeys").asText(),
                tenant.path("ownQuotas").asBoolean() ? "its own" : "as for all",
                tenant.path("cost").asText());
    }
}
