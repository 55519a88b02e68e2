package org.sallyport.cli;

import java.nio.file.Path;
import java.util.Locale;

/** Media types of files of rows and results, by the extension of the file. */
final class BatchFileFormat {
    static final String CSV = "text/csv";
    static final String JSON_LINES = "application/x-ndjson";

    private BatchFileFormat() {}

    static String of(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".csv") ? CSV : JSON_LINES;
    }
}
