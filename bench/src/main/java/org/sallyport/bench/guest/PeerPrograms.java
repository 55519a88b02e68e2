package org.sallyport.bench.guest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.report.BaselineRow;

/**
 * Runs comparable script engines as Node programs of a directory; each prints a line of JSON per measurement. Installs
 * their packages into a temporary directory. Reports a package that is unavailable, without failure.
 */
public final class PeerPrograms {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PEER_SECONDS = 8;
    private static final long INSTALL_SECONDS = 8;

    private final Path programs;
    private final Path modules;

    /** A program: its packages, its command, and the name prefixes of its relevant results. */
    private record PeerProgram(List<String> packages, List<String> command, List<String> resultPrefixes) {}

    private static final List<PeerProgram> ALL = List.of(
            new PeerProgram(List.of(), List.of("node-fork.mjs"), List.of("node-fork.return1+1", "node-fork.10calls")),
            new PeerProgram(
                    List.of("quickjs-emscripten"),
                    List.of("quickjs.mjs"),
                    List.of("quickjs-emscripten.newRuntime", "quickjs-emscripten.10 sequential")),
            new PeerProgram(
                    List.of("isolated-vm@5"),
                    List.of("isolated-vm.mjs"),
                    List.of("isolated-vm.newIsolate return", "isolated-vm.newIsolate 10 sequential")),
            new PeerProgram(List.of(), List.of("--expose-gc", "parked.mjs", "vm", "1000"), List.of("parked.vm")),
            new PeerProgram(
                    List.of(), List.of("--expose-gc", "parked.mjs", "quickjs", "1000"), List.of("parked.quickjs")),
            new PeerProgram(
                    List.of(),
                    List.of("--expose-gc", "parked.mjs", "isolated-vm", "1000"),
                    List.of("parked.isolated-vm")));

    /**
     * @param programs directory of the programs
     * @param modules an empty directory for their packages
     */
    public PeerPrograms(Path programs, Path modules) {
        this.programs = programs;
        this.modules = modules;
    }

    /** Runs the programs one after the other, briefly. */
    public List<BaselineRow> measure() throws IOException, InterruptedException {
        List<BaselineRow> floors = new ArrayList<>();
        for (PeerProgram peer : ALL) {
            floors.addAll(measure(peer));
        }
        return floors;
    }

    private List<BaselineRow> measure(PeerProgram peer) throws IOException, InterruptedException {
        for (String name : peer.packages()) {
            if (!install(name)) {
                return List.of(unavailable(
                        String.join(" ", peer.command()),
                        name + " cannot be installed within " + INSTALL_SECONDS + " s"));
            }
        }
        List<String> command = new ArrayList<>(List.of("node"));
        command.addAll(peer.command());
        List<BaselineRow> floors = new ArrayList<>();
        List<String> wanted = new ArrayList<>(peer.resultPrefixes());
        Process process;
        try {
            process = start(command, programs);
        } catch (IOException withoutNode) {
            return List.of(unavailable(peer.command().get(0), "Node is not installed"));
        }
        Thread limit = killAfterTimeout(process);
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null && !wanted.isEmpty(); line = lines.readLine()) {
                JsonNode said = parse(line);
                String name = said.path("name").asText();
                if (wanted.removeIf(name::startsWith)) {
                    floors.add(toBaseline(name, said));
                }
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            limit.interrupt();
        }
        wanted.forEach(name -> floors.add(unavailable(name, "the program printed no result")));
        return floors;
    }

    private static BaselineRow toBaseline(String name, JsonNode said) {
        if (said.has("kBPerParked")) {
            return new BaselineRow(
                    name + ", " + said.path("kBPerParked").asText() + " KB each",
                    said.path("n").asLong(),
                    Double.NaN,
                    Double.NaN,
                    OptionalDouble.empty());
        }
        return new BaselineRow(
                name,
                said.path("n").asLong(),
                said.path("p50").asDouble(),
                said.path("perSec").asDouble(),
                OptionalDouble.of(said.path("cpuMsPerOp").asDouble()));
    }

    private static BaselineRow unavailable(String what, String why) {
        return new BaselineRow(what + ": " + why, 0, Double.NaN, Double.NaN, OptionalDouble.empty());
    }

    private boolean install(String name) throws InterruptedException {
        try {
            Process npm = start(
                    List.of("npm", "install", "--no-audit", "--no-fund", "--prefix", modules.toString(), name),
                    modules);
            npm.getInputStream().close();
            boolean ended = npm.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS);
            npm.descendants().forEach(ProcessHandle::destroyForcibly);
            npm.destroyForcibly();
            return ended && npm.exitValue() == 0;
        } catch (IOException withoutNpm) {
            return false;
        }
    }

    private Process start(List<String> command, Path directory) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("MODS", modules.toString());
        builder.environment()
                .put("TMPDIR", Files.createDirectories(modules.resolve("tmp")).toString());
        builder.environment().put("ROUNDS", "1");
        builder.environment().put("SCALE", "0.3");
        builder.environment().put("QUIET_MS", "0");
        return builder.start();
    }

    /** Kills a program that does not end; its output then ends too. */
    private static Thread killAfterTimeout(Process process) {
        Thread thread = new Thread(
                () -> {
                    try {
                        if (!process.waitFor(PEER_SECONDS, TimeUnit.SECONDS)) {
                            process.destroyForcibly();
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "end-of-peer");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException noJson) {
            return JSON.createObjectNode();
        }
    }
}
