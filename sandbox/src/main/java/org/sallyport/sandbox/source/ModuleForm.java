package org.sallyport.sandbox.source;

import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAstExportSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportAll;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDefaultDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportDefaultExpr;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstExportNamedSpecifier;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstImportDecl;
import com.caoccao.javet.swc4j.ast.module.Swc4jAstNamedExport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns a module with a {@code main} into the body of a function. Each {@code export} is overwritten in place by as
 * many characters, so that no line and no column moves.
 */
final class ModuleForm {
    /** Seven characters, as many as {@code default}. */
    private static final String MAIN = "$main$=";

    private static final Pattern DEFAULT =
            Pattern.compile("\\Gexport(?:\\s|/\\*.*?\\*/|//[^\\n]*)+default", Pattern.DOTALL);
    private static final Pattern NAMED = Pattern.compile(
            "\\G\\s*(?:async\\s+)?(?:function\\s*\\*?|class)\\s+(?!extends\\b)([\\p{L}_$][\\p{L}\\p{N}_$]*)");
    private static final Pattern DECLARED =
            Pattern.compile("\\Gexport\\s+(?:async\\s+)?(?:function|const|let|var)\\s+main\\b");

    private final String code;
    private final StringBuilder body;
    private boolean exporting;
    private @Nullable String defaultExport;
    private @Nullable String mainExport;
    private int inserted;

    private ModuleForm(String code) {
        this.code = code;
        body = new StringBuilder(code);
    }

    /** The body that {@code code} stands for, or null when it imports and exports nothing. */
    static @Nullable String bodyOf(String code, Iterable<? extends ISwc4jAst> items) throws InvalidScriptException {
        ModuleForm form = new ModuleForm(code);
        for (ISwc4jAst item : items) {
            form.take(item);
        }
        return form.exporting ? form.finished() : null;
    }

    private void take(ISwc4jAst item) throws InvalidScriptException {
        int start = offset(item.getSpan().getStart());
        if (item instanceof Swc4jAstImportDecl declaration) {
            throw notAllowed(start, declaration.getSrc().getValue());
        } else if (item instanceof Swc4jAstExportAll) {
            throw notAllowed(start, "another module");
        } else if (item instanceof Swc4jAstNamedExport named) {
            takeNamed(named, start);
        } else if (item instanceof Swc4jAstExportDecl) {
            exporting = true;
            if (DECLARED.matcher(code).region(start, code.length()).find()) {
                mainExport = "main";
            }
            blank(start, start + "export".length());
        } else if (item instanceof Swc4jAstExportDefaultDecl || item instanceof Swc4jAstExportDefaultExpr) {
            takeDefault(start, offset(item.getSpan().getEnd()), item instanceof Swc4jAstExportDefaultDecl);
        }
    }

    private void takeNamed(Swc4jAstNamedExport named, int start) throws InvalidScriptException {
        if (named.getSrc().isPresent()) {
            throw notAllowed(start, named.getSrc().get().getValue());
        }
        exporting = true;
        for (ISwc4jAstExportSpecifier each : named.getSpecifiers()) {
            if (each instanceof Swc4jAstExportNamedSpecifier specifier) {
                String local = specifier.getOrig().toString();
                String exported = specifier.getExported().map(Object::toString).orElse(local);
                defaultExport = "default".equals(exported) ? local : defaultExport;
                mainExport = "main".equals(exported) ? local : mainExport;
            }
        }
        blank(start, offset(named.getSpan().getEnd()));
    }

    private void takeDefault(int start, int end, boolean declaration) {
        exporting = true;
        Matcher head = DEFAULT.matcher(code).region(start, code.length());
        if (!head.find()) {
            return;
        }
        Matcher name = NAMED.matcher(code).region(head.end(), end);
        if (declaration && name.find()) {
            defaultExport = name.group(1);
            blank(start, head.end());
            return;
        }
        defaultExport = MAIN.substring(0, MAIN.length() - 1);
        blank(start, head.end());
        body.replace(start + inserted, start + inserted + 6, "const ");
        body.replace(head.end() + inserted - MAIN.length(), head.end() + inserted, MAIN);
        if (declaration) {
            // A declaration needs nothing after it, the expression it becomes does.
            body.insert(end + inserted, ';');
            inserted++;
        }
    }

    private String finished() throws InvalidScriptException {
        String main = defaultExport != null ? defaultExport : mainExport;
        if (main == null) {
            throw new InvalidScriptException(
                    code,
                    new SyntaxFault("A module must have a default export or export a function main", Place.UNKNOWN));
        }
        return body + "\nif (typeof " + main
                + " !== 'function') throw new TypeError('The default export or main must be a function');" + "\nreturn "
                + main + "($args$, $context$);";
    }

    private InvalidScriptException notAllowed(int start, String module) {
        String message = "ModuleNotAllowedError: " + module + " cannot be imported; use a tool instead";
        return new InvalidScriptException(code, new SyntaxFault(message, Place.at(code, start)));
    }

    private void blank(int from, int to) {
        for (int i = from + inserted; i < to + inserted; i++) {
            if (body.charAt(i) != '\n' && body.charAt(i) != '\r') {
                body.setCharAt(i, ' ');
            }
        }
    }

    /** The compiler counts code points. */
    private int offset(int points) {
        return code.offsetByCodePoints(0, Math.min(points, code.codePointCount(0, code.length())));
    }
}
