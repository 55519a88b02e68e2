package org.sallyport.it.hostile;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All rows there are. */
final class Rows {
    private static final List<String> FILES = List.of(
            "escape.rows",
            "exhaustion.rows",
            "bridge.rows",
            "display.rows",
            "own-bridge.rows",
            "own-engine.rows",
            "own-source.rows",
            "own-services.rows");

    private Rows() {}

    /** In the order of the list of hostile input, own ones last; no two of the same id. */
    static List<Row> all() {
        List<Row> rows = Stream.concat(
                        FILES.stream().flatMap(file -> RowFile.read(file).stream()),
                        Stream.of(WorkerRows.all(), ServiceRows.all(), CrowdRows.all(), TenantRows.all())
                                .flatMap(List::stream))
                .sorted(Comparator.comparing(Rows::letter)
                        .thenComparing(Rows::number)
                        .thenComparing(Row::id))
                .toList();
        Set<String> ids = new HashSet<>();
        rows.forEach(row -> {
            if (!ids.add(row.id())) {
                throw new AssertionError("two rows are " + row.id());
            }
        });
        return rows;
    }

    private static String letter(Row row) {
        return row.id().substring(0, 1);
    }

    private static int number(Row row) {
        return Integer.parseInt(row.id().replaceAll("\\D", ""));
    }
}
