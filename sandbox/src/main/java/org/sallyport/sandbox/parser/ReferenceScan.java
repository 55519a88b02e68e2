package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.ScriptReferences.ModuleReference;
import org.sallyport.sandbox.ScriptReferences.ReferencePath;

/**
 * Finds the names that a script refers to, from its tokens only. It uses no parser, so it works on any text. A name
 * that the script declares itself is not recognized as its own, so it is reported like any other.
 */
public final class ReferenceScan {
    private static final Set<String> IMPORT_FUNCTIONS = Set.of("import", "require");
    private static final Set<String> DECLARATION_KEYWORDS = Set.of("const", "let", "var", "function", "class");

    private ReferenceScan() {}

    /** Scans a script that was checked. Never fails. */
    public static ScriptReferences of(Script script, ScriptCheckResult result) {
        return result instanceof ScriptCheckResult.ScriptAccepted accepted
                ? ofValid(script, accepted.fenced())
                : of(script);
    }

    /** Scans what is most likely the script. Never fails: if no code can be extracted, the whole text is scanned. */
    public static ScriptReferences of(Script script) {
        try {
            return scan(SourceText.of(script).code());
        } catch (InvalidScriptException noScript) {
            return scan(script.code());
        }
    }

    /**
     * Scans a script that was found to be valid. Never fails.
     *
     * @param fenced whether the text as it stands is no valid script, but the content of its code fence is
     */
    public static ScriptReferences ofValid(Script script, boolean fenced) {
        try {
            return scan(SourceText.ofValid(script, fenced).code());
        } catch (InvalidScriptException noScript) {
            // Tests and their script have a fence each.
            return scan(script.code());
        }
    }

    private static ScriptReferences scan(String code) {
        return JsonCallParser.parse(code)
                .map(call -> ofCall(call.tool(), code))
                .orElseGet(() -> new ReferenceScanner(code).scan());
    }

    /** Returns the reference of a tool call as JSON: the same names as those of {@code tools.backend.tool}. */
    private static ScriptReferences ofCall(String tool, String code) {
        List<String> names = List.of(tool.split("\\.", -1));
        if (names.size() != ScriptReferences.MAX_NAMES_PER_PATH - 1 || names.contains("")) {
            return ScriptReferences.NONE;
        }
        SourcePosition position = SourcePosition.ofOffset(code, code.indexOf('{'));
        return new ScriptReferences(
                List.of(new ReferencePath(
                        List.of("tools", names.get(0), names.get(1)), position.line(), position.column())),
                List.of());
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

        ScriptReferences scan() {
            for (String next = lexer.next();
                    !next.isEmpty() && paths.size() < ScriptReferences.MAX_PATHS;
                    next = lexer.next()) {
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
            return new ScriptReferences(paths, modules);
        }

        private static boolean isName(String lexeme) {
            return Character.isJavaIdentifierStart(lexeme.charAt(0)) && !lexeme.equals("${");
        }

        private void addName() {
            if (last.equals(".")) {
                if (!names.isEmpty() && names.size() < ScriptReferences.MAX_NAMES_PER_PATH) {
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
                SourcePosition position = lines.positionAt(start);
                paths.add(new ReferencePath(names, position.line(), position.column()));
            }
            names.clear();
        }

        private void addModule(String next) {
            boolean named = last.equals("from")
                    || last.equals("import")
                    || (last.equals("(") && IMPORT_FUNCTIONS.contains(before));
            String text = lexer.text();
            boolean found = next.equals(ScriptLexer.LITERAL)
                    && named
                    && text.length() > 1
                    && "'\"`".indexOf(text.charAt(0)) >= 0;
            if (found && modules.size() < ScriptReferences.MAX_MODULES) {
                SourcePosition position = lines.positionAt(lexer.tokenStart());
                modules.add(
                        new ModuleReference(text.substring(1, text.length() - 1), position.line(), position.column()));
            }
        }
    }
}
