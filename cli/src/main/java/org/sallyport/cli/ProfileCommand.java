package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code profile}: manages the user's named services and their keys. */
@Command(
        name = "profile",
        description = {
            "Lists your profiles, which are named services; adds and removes them.",
            "Select one with --profile NAME or SALLYPORT_PROFILE; without a selection, 'default' applies."
        })
final class ProfileCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    private ProfileCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new ProfileCommand(sallyport))
                .addSubcommand(new SetProfile(sallyport))
                .addSubcommand(new RemoveProfile(sallyport));
    }

    @Override
    public Integer call() {
        ProfileStore profiles = ProfileStore.of(sallyport.environment());
        ObjectNode all = profiles.read();
        if (sallyport.json()) {
            ObjectNode shown = ApiJson.object();
            all.properties().forEach(each -> shown.set(each.getKey(), withoutKey(each.getValue())));
            sallyport.printJson(
                    ApiJson.object().put("file", profiles.location()).set("profiles", shown));
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (all.isEmpty()) {
            terminal.printNote("There are no profiles in " + profiles.location() + ".");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable("PROFILE", "URL", "KEY");
        all.properties()
                .forEach(each -> table.addRow(
                        each.getKey(),
                        ApiJson.text(each.getValue(), "url"),
                        each.getValue().hasNonNull("key") ? "stored" : "none"));
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    private static ObjectNode withoutKey(JsonNode profile) {
        return ApiJson.object().put("url", ApiJson.text(profile, "url")).put("key", profile.hasNonNull("key"));
    }

    /** {@code profile set}: adds or replaces a profile. */
    @Command(
            name = "set",
            description = {
                "Stores the address of --url, and the key in the file of --key-file, under a name.",
                "sallyport profile set prod --url https://sallyport.example --key-file key.txt"
            })
    static final class SetProfile implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The profile.")
        private String name = "";

        SetProfile(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            String url = sallyport
                    .urlOption()
                    .orElseThrow(() ->
                            new CommandException(ExitCode.USAGE, "Set the address of the service: --url https://…"));
            ObjectNode profile =
                    ApiJson.object().put("url", ServiceLocator.parseUrl(url).toString());
            Optional<String> key = sallyport.keyOption();
            key.ifPresent(value -> profile.put("key", value));
            ProfileStore profiles = ProfileStore.of(sallyport.environment());
            ObjectNode all = profiles.read();
            all.set(name, profile);
            profiles.write(all);
            if (sallyport.json()) {
                sallyport.printJson(withoutKey(profile).put("name", name));
            } else {
                sallyport
                        .terminal()
                        .printNote("Stored in " + profiles.location() + ". Use it: sallyport --profile "
                                + TerminalTextEscaper.escapeLine(name) + " status");
            }
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code profile remove}: removes a profile. */
    @Command(name = "remove", description = "Removes a profile and its key.")
    static final class RemoveProfile implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The profile.")
        private String name = "";

        RemoveProfile(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ProfileStore profiles = ProfileStore.of(sallyport.environment());
            profiles.require(name);
            ObjectNode all = profiles.read();
            all.remove(name);
            profiles.write(all);
            sallyport.printDone("removed", name, "Removed.");
            return ExitCode.COMPLETED.code();
        }
    }
}
