package org.sallyport.connector.mcp;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.PlainText;

/**
 * Reads the pages of a server's tool list, tool by tool: a tool that cannot be read affects no other. The list ends
 * with the first cursor that was there before. Not thread-safe.
 */
final class McpToolListReader {
    static final int MAX_PAGES = 100;
    static final int MAX_TOOLS = 2_000;
    static final int MAX_CHARS = 32 * 1024 * 1024;
    static final int MAX_CURSOR_LENGTH = 65_536;
    private static final int MAX_SHOWN_NAME_LENGTH = 100;

    private final Map<String, ToolDefinition> tools = new LinkedHashMap<>();
    private final Set<String> cursors = new HashSet<>();
    private int pages;
    private long chars;
    /** Number of entries without a name. */
    private int unnamed;
    /** The first name with different declarations. */
    private Optional<String> ambiguousName = Optional.empty();

    private Optional<String> cursorProblem = Optional.empty();

    /**
     * Adds a page and returns the cursor of the next one; empty if the list is complete. Throws {@link
     * IllegalStateException} if the page has no list of tools or the list exceeds a limit.
     */
    Optional<String> addPage(Object result) {
        if (!(result instanceof Map<?, ?> page)) {
            throw new IllegalStateException("the server answered tools/list without an object");
        }
        Object declared = page.get("tools");
        if (declared instanceof List<?> list) {
            list.forEach(this::addTool);
        } else if (declared != null) {
            throw new IllegalStateException("the server answered tools/list without a list of tools");
        }
        pages++;
        return nextCursor(page.get("nextCursor"));
    }

    private void addTool(@Nullable Object declared) {
        Optional<ToolDefinition> read = declared == null ? Optional.empty() : McpToolMapper.toDefinition(declared);
        if (read.isEmpty()) {
            unnamed++;
            return;
        }
        ToolDefinition tool = read.get();
        ToolDefinition earlier = tools.putIfAbsent(tool.originalName(), tool);
        if (earlier != null) {
            if (!earlier.equals(tool) && ambiguousName.isEmpty()) {
                ambiguousName = Optional.of(PlainText.singleLine(tool.originalName(), MAX_SHOWN_NAME_LENGTH));
            }
            return;
        }
        chars += tool.originalName().length()
                + tool.description().length()
                + tool.inputSchema().text().length()
                + tool.outputSchema().map(schema -> schema.text().length()).orElse(0);
        if (tools.size() > MAX_TOOLS) {
            throw new IllegalStateException("the server has more than " + MAX_TOOLS + " tools");
        }
        if (chars > MAX_CHARS) {
            throw new IllegalStateException("the server's tools have more than " + MAX_CHARS + " characters");
        }
    }

    private Optional<String> nextCursor(@Nullable Object declared) {
        if (declared == null || declared.equals("")) {
            return Optional.empty();
        }
        if (!(declared instanceof String || declared instanceof Number)) {
            cursorProblem = Optional.of(
                    "page " + pages + " of its tool list has a cursor that is no text: later pages are not known");
            return Optional.empty();
        }
        String cursor = declared.toString();
        if (cursor.length() > MAX_CURSOR_LENGTH) {
            throw new IllegalStateException(
                    "the server sent a cursor of more than " + MAX_CURSOR_LENGTH + " characters");
        }
        if (!cursors.add(cursor)) {
            cursorProblem = Optional.of("page " + pages + " of its tool list has the cursor of an earlier page: the"
                    + " list was ended there");
            return Optional.empty();
        }
        if (pages >= MAX_PAGES) {
            throw new IllegalStateException("the server's tool list has more than " + MAX_PAGES + " pages");
        }
        return Optional.of(cursor);
    }

    /** Returns all tools that were read. Of several tools with the same name, the first is used. */
    McpToolList toList() {
        List<String> notes = new ArrayList<>();
        cursorProblem.ifPresent(notes::add);
        if (unnamed > 0) {
            notes.add("entries of its tool list without a name, which cannot be called: " + unnamed);
        }
        ambiguousName.ifPresent(
                name -> notes.add("it declares '" + name + "' more than once; the first declaration is used"));
        return new McpToolList(
                List.copyOf(tools.values()),
                notes.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", notes)));
    }
}
