package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.sallyport.sandbox.Script;

/**
 * Finds the names that a script refers to, from its tokens only. It uses no parser, so it works anywhere and on any
 * text. A name that the script declares itself is not recognized as its own, so it is reported like any other.
 *
 * @param paths names separated by dots, such as {@code demo.add}, that do not follow another expression
 * @param modules modules that are imported or required by a literal name
 */
public record ReferenceScan(List<ReferencePath> paths, List<ModuleReference> modules) {
    private static final Set<String> IMPORT_FUNCTIONS = Set.of("import", "require");
    private static final Set<String> DECLARATION_KEYWORDS = Set.of("const", "let", "var", "function", "class");
    private static final int MAX_PATHS = 10_000;

    public ReferenceScan {
        paths = List.copyOf(paths);
        modules = List.copyOf(modules);
    }

    /** Names separated by dots, and the position where they begin. */
    public record ReferencePath(List<String> names, SourcePosition position) {
        public ReferencePath {
            names = List.copyOf(names);
        }
    }

    /** The name of a module, and its position. */
    public record ModuleReference(String name, SourcePosition position) {}

    /** Scans what is most likely the script. Never fails: if no code can be extracted, the whole text is scanned. */
    public static ReferenceScan of(Script script) {
        try {
            return new ReferenceScanner(SourceText.of(script).code()).scan();
        } catch (InvalidScriptException noScript) {
            return new ReferenceScanner(script.code()).scan();
        }
    }

    /**
     * Scans a script that was found to be valid. Never fails.
     *
     * @param fenced whether the text as it stands is no valid script, but the content of its code fence is
     */
    public static ReferenceScan ofValid(Script script, boolean fenced) {
        try {
            return new ReferenceScanner(SourceText.ofValid(script, fenced).code()).scan();
        } catch (InvalidScriptException noScript) {
            // Tests and their script have a fence each.
            return new ReferenceScanner(script.code()).scan();
        }
    }

    private static final class ReferenceScanner {
        private final ScriptLexer lexer;
        private final LineIndex lines;
        private final List<ReferencePath> paths = new ArrayList<>();
        private final List<ModuleReference> modules = new ArrayList<>();
        private final List<String> names = new ArrayList<>();
        private int start;
        private String before = "";
        private String last = "";

        ReferenceScanner(String code) {
            lexer = new ScriptLexer(code);
            lines = new LineIndex(code);
        }

        ReferenceScan scan() {
            for (String next = lexer.next(); !next.isEmpty() && paths.size() < MAX_PATHS; next = lexer.next()) {
                if (isName(next)) {
                    addName();
                } else if (!next.equals(".")) {
                    endPath();
                    addModule(next);
                }
                before = last;
                last = next.equals("x") ? lexer.text() : next;
            }
            endPath();
            return new ReferenceScan(paths, modules);
        }

        private static boolean isName(String lexeme) {
            return Character.isJavaIdentifierStart(lexeme.charAt(0)) && !lexeme.equals("${");
        }

        private void addName() {
            if (last.equals(".")) {
                if (!names.isEmpty()) {
                    names.add(lexer.text());
                }
                return;
            }
            endPath();
            if (!DECLARATION_KEYWORDS.contains(last)) {
                start = lexer.tokenStart();
                names.add(lexer.text());
            }
        }

        private void endPath() {
            if (names.size() > 1) {
                paths.add(new ReferencePath(names, lines.positionAt(start)));
            }
            names.clear();
        }

        private void addModule(String next) {
            boolean named = last.equals("from")
                    || last.equals("import")
                    || (last.equals("(") && IMPORT_FUNCTIONS.contains(before));
            String text = lexer.text();
            if (next.equals(ScriptLexer.LITERAL) && named && text.length() > 1 && "'\"`".indexOf(text.charAt(0)) >= 0) {
                modules.add(new ModuleReference(
                        text.substring(1, text.length() - 1), lines.positionAt(lexer.tokenStart())));
            }
        }
    }
}
