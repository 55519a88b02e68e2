package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code webhooks}: manages inbound webhooks. */
@Command(
        name = "webhooks",
        description = "Lists the inbound webhooks of the tenant; creates, disables and deletes them. For operators.")
final class WebhooksCommand implements Callable<Integer> {
    private static final String WEBHOOKS = "/inbound-webhooks";

    private final SallyportCommand sallyport;

    private WebhooksCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new WebhooksCommand(sallyport))
                .addSubcommand(new ListWebhooks(sallyport))
                .addSubcommand(new CreateWebhook(sallyport))
                .addSubcommand(new EnableWebhook(sallyport))
                .addSubcommand(new DisableWebhook(sallyport))
                .addSubcommand(new DeleteWebhook(sallyport));
    }

    @Override
    public Integer call() {
        return printAll(sallyport);
    }

    private static int printAll(SallyportCommand sallyport) {
        ObjectNode page = sallyport.service().api().get(WEBHOOKS);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable table = new TerminalTable("WEBHOOK", "NAME", "TARGET", "STATE", "LAST USED", "RESULT");
        page.path("items")
                .forEach(webhook -> table.addRow(
                        ApiJson.text(webhook, "id"),
                        ApiJson.text(webhook, "name"),
                        target(webhook),
                        webhook.path("enabled").asBoolean() ? "enabled" : "disabled",
                        webhook.path("lastUsedAt").asText("never"),
                        ApiJson.text(webhook, "lastResult")));
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    private static String target(JsonNode webhook) {
        if (webhook.has("event")) {
            return "event " + ApiJson.text(webhook, "event");
        }
        String version = ApiJson.text(webhook, "version");
        return ApiJson.text(webhook, "capability") + (version.isEmpty() ? "" : "@" + version);
    }

    /** {@code webhooks list}: lists all inbound webhooks. */
    @Command(name = "list", description = "Lists the inbound webhooks with their last use.")
    static final class ListWebhooks implements Callable<Integer> {
        private final SallyportCommand sallyport;

        ListWebhooks(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printAll(sallyport);
        }
    }

    /** {@code webhooks create}: creates an inbound webhook. */
    @Command(
            name = "create",
            description = {
                "Creates an inbound webhook and prints the path of its address, which is shown only once.",
                "A POST to the address runs the capability with the body as args, or emits the event."
            })
    static final class CreateWebhook implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "Its purpose, for people.")
        private String name = "";

        @Option(names = "--capability", paramLabel = "NAME[@VERSION]", description = "The capability that it runs.")
        private @Nullable String capability;

        @Option(names = "--event", paramLabel = "NAME", description = "The event that it emits.")
        private @Nullable String event;

        @Option(
                names = "--grant",
                paramLabel = "GLOB",
                description = "Tools that its executions may call; may be repeated. Without it: those of your key.")
        private List<String> grants = List.of();

        @Option(
                names = "--secret",
                paramLabel = "NAME",
                description = "Secret with which the sender signs its deliveries.")
        private @Nullable String secret;

        @Option(
                names = "--signature",
                paramLabel = "SCHEME",
                description = "What the signature covers: timestamped (default) or body.")
        private @Nullable String scheme;

        @Option(
                names = "--signature-header",
                paramLabel = "HEADER",
                description = "Header with the signature (Sallyport-Signature).")
        private @Nullable String signatureHeader;

        @Option(
                names = "--delivery-header",
                paramLabel = "HEADER",
                description = "Header with the id of a delivery (Idempotency-Key).")
        private @Nullable String deliveryHeader;

        CreateWebhook(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode created = sallyport.service().api().post(WEBHOOKS, body());
            if (sallyport.json()) {
                sallyport.printJson(created);
            } else {
                sallyport.terminal().printResult(TerminalTextEscaper.escapeLine(ApiJson.text(created, "path")));
                sallyport
                        .terminal()
                        .printNote("Append this path to the address of the service and save it now; it is not shown"
                                + " again. Webhook ID: " + TerminalTextEscaper.escapeLine(ApiJson.text(created, "id")));
            }
            return ExitCode.COMPLETED.code();
        }

        private ObjectNode body() {
            ObjectNode body = ApiJson.object().put("name", name);
            if (capability != null) {
                String[] parts = capability.split("@", 2);
                body.put("capability", parts[0]);
                if (parts.length == 2) {
                    body.put("version", parts[1]);
                }
            }
            if (event != null) {
                body.put("event", event);
            }
            if (!grants.isEmpty()) {
                grants.forEach(body.putArray("grants")::add);
            }
            if (secret != null) {
                ObjectNode signature = body.putObject("signature").put("secret", secret);
                putIfGiven(signature, "scheme", scheme);
                putIfGiven(signature, "header", signatureHeader);
            } else if (scheme != null || signatureHeader != null) {
                throw new CommandException(ExitCode.USAGE, "A signature needs --secret.");
            }
            putIfGiven(body, "deliveryHeader", deliveryHeader);
            return body;
        }

        private static void putIfGiven(ObjectNode object, String member, @Nullable String value) {
            if (value != null) {
                object.put(member, value);
            }
        }
    }

    /** {@code webhooks enable}: lets an inbound webhook accept deliveries again. */
    @Command(name = "enable", description = "Lets a disabled webhook accept deliveries again.")
    static final class EnableWebhook implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "The webhook.")
        private String id = "";

        EnableWebhook(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode changed = sallyport.service().api().post(WEBHOOKS, ApiJson.object(), id, "enable");
            printChanged(sallyport, changed, "Enabled.");
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code webhooks disable}: refuses the deliveries of an inbound webhook. */
    @Command(name = "disable", description = "Refuses deliveries to a webhook until it is enabled again.")
    static final class DisableWebhook implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "The webhook.")
        private String id = "";

        DisableWebhook(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode changed = sallyport.service().api().post(WEBHOOKS, ApiJson.object(), id, "disable");
            printChanged(sallyport, changed, "Disabled.");
            return ExitCode.COMPLETED.code();
        }
    }

    private static void printChanged(SallyportCommand sallyport, ObjectNode changed, String sentence) {
        if (sallyport.json()) {
            sallyport.printJson(changed);
        } else {
            sallyport.terminal().printNote(sentence);
        }
    }

    /** {@code webhooks delete}: deletes an inbound webhook. */
    @Command(name = "delete", description = "Deletes a webhook; its address is never valid again.")
    static final class DeleteWebhook implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "The webhook.")
        private String id = "";

        DeleteWebhook(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(WEBHOOKS, id);
            sallyport.printDone("deleted", id, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
