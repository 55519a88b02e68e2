package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tenants}: lists one page of tenants. */
@Command(
        name = "tenants",
        description = {
            "Lists the tenants with their usage.",
            "For operators, auditors and administrators of the tenant that operates the installation."
        })
final class TenantsCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Option(names = "--limit", paramLabel = "N", description = "Tenants per page (50).")
    private int limit = 50;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Cursor printed by the previous page.")
    private @Nullable String cursor;

    TenantsCommand(SallyportCommand sallyport) {
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
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable table = new TerminalTable("TENANT", "QUEUED", "LIVE", "KEYS", "QUOTAS", "COST THIS MONTH");
        page.path("items").forEach(tenant -> addRow(table, tenant));
        terminal.printTable(table);
        String next = ApiJson.text(page, "next");
        if (!next.isEmpty()) {
            terminal.printNote(
                    "More: sallyport tenants --limit " + limit + " --cursor " + TerminalTextEscaper.escapeLine(next));
        }
        return ExitCode.COMPLETED.code();
    }

    private static void addRow(TerminalTable table, JsonNode tenant) {
        table.addRow(
                ApiJson.text(tenant, "tenant"),
                tenant.path("queued").asText(),
                tenant.path("live").asText(),
                tenant.path("apiKeys").asText(),
                tenant.path("ownQuotas").asBoolean() ? "own" : "default",
                tenant.path("cost").asText());
    }
}
