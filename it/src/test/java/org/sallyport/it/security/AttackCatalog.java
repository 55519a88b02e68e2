package org.sallyport.it.security;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All attack cases. */
final class AttackCatalog {
    private static final List<String> ATTACK_FILES = List.of(
            "escape.rows",
            "exhaustion.rows",
            "bridge.rows",
            "display.rows",
            "own-bridge.rows",
            "own-engine.rows",
            "own-source.rows",
            "own-services.rows");

    private AttackCatalog() {}

    /** All cases in the order of the list of hostile input, then the additional ones. Ids are unique. */
    static List<AttackCase> all() {
        List<AttackCase> rows = Stream.concat(
                        ATTACK_FILES.stream().flatMap(file -> AttackFileParser.read(file).stream()),
                        Stream.of(
                                        WorkerAttacks.all(),
                                        ServiceAttacks.all(),
                                        LoadAttacks.all(),
                                        TenantAttacks.all(),
                                        MemoryAttacks.all(),
                                        JournalAttacks.all(),
                                        ToolCallAttacks.all(),
                                        ResponseAttacks.all())
                                .flatMap(List::stream))
                .sorted(Comparator.comparing(AttackCatalog::sectionOf)
                        .thenComparing(AttackCatalog::numberOf)
                        .thenComparing(AttackCase::id))
                .toList();
        Set<String> ids = new HashSet<>();
        rows.forEach(row -> {
            if (!ids.add(row.id())) {
                throw new AssertionError("two rows are " + row.id());
            }
        });
        return rows;
    }

    private static String sectionOf(AttackCase row) {
        return row.id().substring(0, 1);
    }

    private static int numberOf(AttackCase row) {
        return Integer.parseInt(row.id().replaceAll("\\D", ""));
    }
}
