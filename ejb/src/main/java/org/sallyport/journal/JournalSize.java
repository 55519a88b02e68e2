package org.sallyport.journal;

import java.util.List;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/**
 * Counts the bytes of journal entries, for the limit of a journal: their texts in UTF-8, and a fixed number for the
 * rest of each entry. On the heap a text takes no more.
 */
public final class JournalSize {
    /** Stands for the times, names and numbers of an entry. */
    private static final int ENTRY_BYTES = 200;

    private JournalSize() {}

    /** Returns the bytes of the entries together. */
    public static long ofEntries(List<TraceEvent> entries) {
        return entries.stream().mapToLong(JournalSize::ofEntry).sum();
    }

    /** Returns the bytes of one entry. */
    public static long ofEntry(TraceEvent entry) {
        if (entry instanceof TraceEvent.ToolStarted started) {
            return ENTRY_BYTES + ofText(started.arguments().text());
        } else if (entry instanceof TraceEvent.ToolEnded ended) {
            return ENTRY_BYTES
                    + ended.result().map(result -> ofText(result.text())).orElse(0L)
                    + ended.error().map(JournalSize::ofError).orElse(0L);
        } else if (entry instanceof TraceEvent.ReplayLogRecorded recorded) {
            return ENTRY_BYTES + ofText(recorded.replayLog());
        } else if (entry instanceof TraceEvent.ApprovalDecided decided) {
            return ENTRY_BYTES
                    + ofText(decided.note())
                    + decided.editedArguments()
                            .map(edited -> ofText(edited.text()))
                            .orElse(0L);
        }
        return ENTRY_BYTES;
    }

    /** Returns the bytes of an error. */
    public static long ofError(ToolError error) {
        return ofText(error.message())
                + error.details().map(Json::text).map(JournalSize::ofText).orElse(0L);
    }

    /** Returns the length of the text in UTF-8. */
    public static long ofText(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // A surrogate is half of a character of four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
