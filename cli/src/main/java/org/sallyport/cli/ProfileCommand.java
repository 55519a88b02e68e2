package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code profile}: names for services and the keys to them. */
@Command(
        name = "profile",
        description = {
            "Lists the services that you gave names to; adds and removes them.",
            "Use one by --profile NAME or SALLYPORT_PROFILE; 'default' holds where nothing else is said."
        })
final class ProfileCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    private ProfileCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
    static CommandLine of(Sallyport sallyport) {
        return new CommandLine(new ProfileCommand(sallyport))
                .addSubcommand(new SetProfile(sallyport))
                .addSubcommand(new Remove(sallyport));
    }

    @Override
    public Integer call() {
        Profiles profiles = Profiles.of(sallyport.surroundings());
        ObjectNode all = profiles.read();
        if (sallyport.json()) {
            ObjectNode shown = Json.object();
            all.properties().forEach(each -> shown.set(each.getKey(), withoutKey(each.getValue())));
            sallyport.answer(Json.object().put("file", profiles.place()).set("profiles", shown));
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (all.isEmpty()) {
            terminal.note("There are no profiles in " + profiles.place() + ".");
            return Exit.COMPLETED.code();
        }
        Table table = new Table("PROFILE", "URL", "KEY");
        all.properties()
                .forEach(each -> table.row(
                        each.getKey(),
                        Json.text(each.getValue(), "url"),
                        each.getValue().hasNonNull("key") ? "kept" : "none"));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    private static ObjectNode withoutKey(JsonNode profile) {
        return Json.object().put("url", Json.text(profile, "url")).put("key", profile.hasNonNull("key"));
    }

    /** Adds or changes one. */
    @Command(
            name = "set",
            description = {
                "Keeps the address of --url, and the key in the file of --key-file, under a name.",
                "sallyport profile set prod --url https://sallyport.example --key-file key.txt"
            })
    static final class SetProfile implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The profile.")
        private String name = "";

        SetProfile(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            String url = sallyport
                    .namedUrl()
                    .orElseThrow(() -> new CommandFailure(Exit.USAGE, "Say where the service is: --url https://…"));
            ObjectNode profile = Json.object().put("url", Service.parsed(url).toString());
            Optional<String> key = sallyport.namedKey();
            key.ifPresent(value -> profile.put("key", value));
            Profiles profiles = Profiles.of(sallyport.surroundings());
            ObjectNode all = profiles.read();
            all.set(name, profile);
            profiles.write(all);
            if (sallyport.json()) {
                sallyport.answer(withoutKey(profile).put("name", name));
            } else {
                sallyport
                        .terminal()
                        .note("Kept in " + profiles.place() + ". Use it: sallyport --profile " + Visible.line(name)
                                + " status");
            }
            return Exit.COMPLETED.code();
        }
    }

    /** Removes one. */
    @Command(name = "remove", description = "Forgets a profile and its key.")
    static final class Remove implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The profile.")
        private String name = "";

        Remove(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            Profiles profiles = Profiles.of(sallyport.surroundings());
            profiles.named(name);
            ObjectNode all = profiles.read();
            all.remove(name);
            profiles.write(all);
            sallyport.done("removed", name, "Removed.");
            return Exit.COMPLETED.code();
        }
    }
}
