package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.clazz.Swc4jAstComputedPropName;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstCallExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstExprOrSpread;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdentName;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstMemberExpr;
import com.caoccao.javet.swc4j.ast.expr.Swc4jAstNewExpr;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.miscs.Swc4jAstOptCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Rewrites calls with spread arguments, of which the engine accepts 65,535, to calls with a list. Where that is not
 * possible, their number is checked, so that the error for too many has its line:
 *
 * <pre>
 * f(a, ...b)      $spread$().call(f,"f")([a, ...b])
 * o.m(...b)       $spread$().member(o,"m","o.m")([...b])
 * o[k](...b)      $spread$().member(o,(k),"o[k]")([...b])
 * new C(...b)     $spread$().create(C,"C")([...b])
 * super(...b)     super(...$spread$().few([...b]))
 * o?.m(...b)      o?.m(...$spread$().few([...b]))
 * </pre>
 *
 * <p>The function is evaluated before the arguments and called after them, as in the original. All other forms of calls
 * are rewritten like the last two. Calls that spread only literal lists stay as they are.
 */
final class SpreadRewriter {
    private static final String NAMELESS = "(intermediate value)";
    /** Names that the engine would print in an error. */
    private static final Pattern PLAIN_NAME =
            Pattern.compile("[\\p{L}\\p{N}_$]+(?:\\.[\\p{L}\\p{N}_$]+|\\[[\\p{L}\\p{N}_$]+])*");

    private static final int MAX_NAME_LENGTH = 100;
    /** Maximum number of calls of a chain, such as {@code a.f(...b).g(...c)}: each is nested in the next one's code. */
    private static final int MAX_CHAIN = 200;

    private final SyntaxTree tree;
    private final TextEdits edits;
    private final String helpers;

    private SpreadRewriter(SyntaxTree tree, TextEdits edits, String helpers) {
        this.tree = tree;
        this.edits = edits;
        this.helpers = helpers;
    }

    /**
     * Rewrites all such calls. Does nothing if the script has a {@code with} statement or may call {@code eval}
     * directly. Called after all other edits: code that they insert before a call must stay before it.
     *
     * @param helpers name of the function that returns the helpers
     */
    static void rewrite(SyntaxTree tree, TextEdits edits, String helpers) {
        if (tree.hasHiddenNames()) {
            return;
        }
        SpreadRewriter rewriter = new SpreadRewriter(tree, edits, helpers);
        // Where two calls begin at the same offset, the code of the outer one comes first.
        rewriter.callsToRewrite().stream()
                .sorted(Comparator.<ISwc4jAst>comparingInt(tree::end).reversed())
                .forEach(rewriter::rewrite);
    }

    /** Returns the calls but those at the end of a long chain. The calls of a chain begin at the same offset. */
    private List<ISwc4jAst> callsToRewrite() {
        List<ISwc4jAst> calls = new ArrayList<>(tree.spreadCalls());
        calls.sort(Comparator.<ISwc4jAst>comparingInt(tree::start).thenComparingInt(tree::end));
        List<ISwc4jAst> chosen = new ArrayList<>();
        int chainStart = -1;
        int count = 0;
        for (ISwc4jAst call : calls) {
            count = tree.start(call) == chainStart ? count + 1 : 1;
            chainStart = tree.start(call);
            if (count <= MAX_CHAIN) {
                chosen.add(call);
            }
        }
        return chosen;
    }

    private void rewrite(ISwc4jAst node) {
        if (node instanceof Swc4jAstNewExpr creation) {
            ISwc4jAst type = creation.getCallee();
            edits.replace(tree.start(creation), tree.start(type), helper("create"));
            edits.insert(tree.end(type), name(textOf(type)) + ")");
            creation.getArgs().ifPresent(this::toList);
        } else if (node instanceof Swc4jAstCallExpr call && call.getCallee() instanceof Swc4jAstIdent function) {
            edits.insert(tree.start(call), helper("call"), tree.start(call));
            edits.insert(tree.end(function), name(function.getSym()) + ")");
            toList(call.getArgs());
        } else if (node instanceof Swc4jAstCallExpr call && call.getCallee() instanceof Swc4jAstMemberExpr method) {
            rewriteMethodCall(call, method);
        } else if (node instanceof Swc4jAstCallExpr call) {
            checkNumber(call, call.getArgs());
        } else if (node instanceof Swc4jAstOptCall call) {
            checkNumber(call, call.getArgs());
        }
    }

    private void rewriteMethodCall(Swc4jAstCallExpr call, Swc4jAstMemberExpr method) {
        int objectEnd = tree.end(method.getObj());
        if (method.getProp() instanceof Swc4jAstIdentName property) {
            String text = textOf(method).replaceAll("\\s+", "");
            edits.replace(
                    objectEnd,
                    tree.end(method),
                    ",\"" + property.getSym() + "\"" + name(isPlain(text) ? text : NAMELESS + "." + property.getSym())
                            + ")");
        } else if (method.getProp() instanceof Swc4jAstComputedPropName computed) {
            ISwc4jAst key = computed.getExpr();
            edits.replace(objectEnd, tree.start(key), ",(");
            edits.replace(tree.end(key), tree.end(method), ")" + name(textOf(method)) + ")");
        } else {
            checkNumber(call, call.getArgs());
            return;
        }
        // The engine places a call of a method at its name or after the bracket, and an error before the call at the
        // object.
        boolean named = method.getProp() instanceof Swc4jAstIdentName;
        int start = tree.start(call);
        edits.insert(start, helpers + "()", named ? tree.start(method.getProp()) : tree.end(method));
        edits.insert(start, ".member(", start);
        toList(call.getArgs());
    }

    private void toList(List<Swc4jAstExprOrSpread> arguments) {
        surround(arguments, "[", "]", start(arguments));
    }

    /** The error of the engine for too many arguments has no position in the function that makes the call. */
    private void checkNumber(ISwc4jAst call, List<Swc4jAstExprOrSpread> arguments) {
        surround(arguments, "..." + helper("few") + "[", "])", tree.start(call));
    }

    /** @param anchor the offset to which {@code before} maps */
    private void surround(List<Swc4jAstExprOrSpread> arguments, String before, String after, int anchor) {
        edits.insert(start(arguments), before, anchor);
        edits.insert(tree.end(arguments.get(arguments.size() - 1).getExpr()), after);
    }

    private int start(List<Swc4jAstExprOrSpread> arguments) {
        Swc4jAstExprOrSpread first = arguments.get(0);
        return first.getSpread()
                .map(spread -> tree.toUtf16Offset(spread.getStart()))
                .orElseGet(() -> tree.start(first.getExpr()));
    }

    /** Returns the text of what is called; empty if it is too long for a name, as the start of a long chain is. */
    private String textOf(ISwc4jAst node) {
        return tree.end(node) - tree.start(node) > 2 * MAX_NAME_LENGTH ? "" : tree.slice(node);
    }

    private String helper(String kind) {
        return helpers + "()." + kind + "(";
    }

    /** Returns the last argument of a helper: the name of what is called, for errors. */
    private static String name(String text) {
        return ",\"" + (isPlain(text) || text.startsWith(NAMELESS) ? text : NAMELESS) + "\"";
    }

    private static boolean isPlain(String text) {
        return text.length() <= MAX_NAME_LENGTH && PLAIN_NAME.matcher(text).matches();
    }
}
