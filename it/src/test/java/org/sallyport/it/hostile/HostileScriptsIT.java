package org.sallyport.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.Servers;

/**
 * Whatever is thrown at the service, it ends as it must, in time, with nothing told that is not to be told, and nobody
 * beside it notices. {@code -Dhostile=all} does the slow rows too, {@code -Dhostile.rows=A01,B12} only those, {@code
 * -Dhostile.modes=worker} only there.
 */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileScriptsIT {
    private final Map<Mode, CompletableFuture<Arena>> arenas = new EnumMap<>(Mode.class);

    static List<Mode> modes() {
        String wanted = System.getProperty("hostile.modes", "");
        return Arrays.stream(Mode.values())
                .filter(mode ->
                        wanted.isEmpty() || List.of(wanted.split(",", -1)).contains(mode.setting()))
                .toList();
    }

    private static List<Row> rows(Mode mode) {
        String wanted = System.getProperty("hostile.rows", "");
        List<String> ids = wanted.isEmpty() ? List.of() : List.of(wanted.split(",", -1));
        boolean all = System.getProperty("hostile", "fast").equals("all") || !ids.isEmpty();
        return Rows.all().stream()
                .filter(row -> row.modes().contains(mode) && (all || inEveryBuild(row, mode)))
                .filter(row -> ids.isEmpty() || ids.stream().anyMatch(id -> named(row.id(), id)))
                .toList();
    }

    /** B1 names B1 and B1b, but not B12; X names all that begin so. */
    private static boolean named(String row, String wanted) {
        return row.matches(java.util.regex.Pattern.quote(wanted) + (wanted.matches(".*\\d") ? "\\D*" : ".*"));
    }

    /** The mode that ships is done at length; of the other, what computes is done in a few rows. */
    private static boolean inEveryBuild(Row row, Mode mode) {
        return row.fast() && (mode == Mode.WORKER || !row.alone() || row.id().startsWith("B0"));
    }

    @BeforeAll
    void begin() {
        modes().forEach(mode -> arenas.put(mode, CompletableFuture.supplyAsync(() -> Arena.open(mode))));
    }

    @AfterAll
    void end() {
        arenas.values().forEach(arena -> arena.thenAccept(Arena::close).join());
    }

    @ParameterizedTest
    @MethodSource("modes")
    void everyRowEndsAsItMustAndNobodyNotices(Mode mode) {
        Arena arena = java.util.Objects.requireNonNull(arenas.get(mode)).join();
        List<Verdict> verdicts;
        Victim victim = Victim.of(arena);
        Footprint before = Footprint.of(arena.server());
        try (victim) {
            verdicts = new Siege(arena).lay(rows(mode));
        }
        Footprint after = Footprint.of(arena.server());
        List<String> damage = Aftermath.faults(arena, before, after);

        Path table = new Report(arena, victim, verdicts, List.of("before: " + before, "after: " + after)).publish();

        assertThat(verdicts.stream()
                        .filter(verdict -> !verdict.ok() && !verdict.open())
                        .map(Verdict::told))
                .as("rows not as expected, see %s", table)
                .isEmpty();
        assertThat(verdicts.stream().filter(Verdict::mended).map(Verdict::told))
                .as("rows that are marked open and are as expected: take the mark away")
                .isEmpty();
        assertThat(victim.failures()).as("what the victim noticed").isEmpty();
        assertThat(damage).as("what is left of it").isEmpty();
    }
}
