package org.sallyport.sandbox.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.sallyport.sandbox.Script;

/**
 * What a script names, by its words alone: no parser is asked, so that any text may be looked at anywhere. A name that the script
 * gives to something of its own is taken for what it would be otherwise.
 *
 * @param paths names with dots between, such as {@code demo.add}, as far as they stand on their own
 * @param modules what is imported or required by a literal name
 */
public record ReferenceScan(List<ReferencePath> paths, List<ModuleReference> modules) {
    private static final Set<String> IMPORT_FUNCTIONS = Set.of("import", "require");
    private static final Set<String> DECLARATION_KEYWORDS = Set.of("const", "let", "var", "function", "class");
    private static final int MAX_PATHS = 10_000;

    public ReferenceScan {
        paths = List.copyOf(paths);
        modules = List.copyOf(modules);
    }

    /** Names with dots between, and where they begin. */
    public record ReferencePath(List<String> names, SourcePosition position) {
        public ReferencePath {
            names = List.copyOf(names);
        }
    }

    /** A module's name, and where it stands. */
    public record ModuleReference(String name, SourcePosition position) {}

    /** What {@code script} names. */
    public static ReferenceScan of(Script script) {
        String code;
        try {
            code = SourceText.of(script).code();
        } catch (InvalidScriptException noScript) {
            code = script.code();
        }
        return new ReferenceScanner(code).scan();
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
