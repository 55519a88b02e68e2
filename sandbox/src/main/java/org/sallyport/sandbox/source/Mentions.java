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
public record Mentions(List<Path> paths, List<Import> modules) {
    private static final Set<String> IMPORTING = Set.of("import", "require");
    private static final Set<String> DECLARING = Set.of("const", "let", "var", "function", "class");
    private static final int MOST = 10_000;

    public Mentions {
        paths = List.copyOf(paths);
        modules = List.copyOf(modules);
    }

    /** Names with dots between, and where they begin. */
    public record Path(List<String> names, Place place) {
        public Path {
            names = List.copyOf(names);
        }
    }

    /** A module's name, and where it stands. */
    public record Import(String name, Place place) {}

    /** What {@code script} names. */
    public static Mentions of(Script script) {
        String code;
        try {
            code = SourceText.of(script).code();
        } catch (InvalidScriptException noScript) {
            code = script.code();
        }
        return new Reading(code).mentions();
    }

    private static final class Reading {
        private final Lexemes lexemes;
        private final Lines lines;
        private final List<Path> paths = new ArrayList<>();
        private final List<Import> modules = new ArrayList<>();
        private final List<String> names = new ArrayList<>();
        private int start;
        private String before = "";
        private String last = "";

        Reading(String code) {
            lexemes = new Lexemes(code);
            lines = new Lines(code);
        }

        Mentions mentions() {
            for (String next = lexemes.next(); !next.isEmpty() && paths.size() < MOST; next = lexemes.next()) {
                if (isName(next)) {
                    name();
                } else if (!next.equals(".")) {
                    end();
                    module(next);
                }
                before = last;
                last = next.equals("x") ? lexemes.text() : next;
            }
            end();
            return new Mentions(paths, modules);
        }

        private static boolean isName(String lexeme) {
            return Character.isJavaIdentifierStart(lexeme.charAt(0)) && !lexeme.equals("${");
        }

        private void name() {
            if (last.equals(".")) {
                if (!names.isEmpty()) {
                    names.add(lexemes.text());
                }
                return;
            }
            end();
            if (!DECLARING.contains(last)) {
                start = lexemes.begin();
                names.add(lexemes.text());
            }
        }

        private void end() {
            if (names.size() > 1) {
                paths.add(new Path(names, lines.place(start)));
            }
            names.clear();
        }

        private void module(String next) {
            boolean named =
                    last.equals("from") || last.equals("import") || (last.equals("(") && IMPORTING.contains(before));
            String text = lexemes.text();
            if (next.equals(Lexemes.LITERAL) && named && text.length() > 1 && "'\"`".indexOf(text.charAt(0)) >= 0) {
                modules.add(new Import(text.substring(1, text.length() - 1), lines.place(lexemes.begin())));
            }
        }
    }
}
