package org.sallyport.sandbox.tier;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.sandbox.tier.SimpleGrammar.NotSimple;
import org.sallyport.sandbox.tier.Token.Kind;

/**
 * Literals that JSON can carry. No holes, spreads, computed names, methods or short forms; no {@code __proto__}, which is no
 * member; no {@code undefined}, which vanishes.
 */
final class LiteralGrammar {
    /** Deeper ones are refused by the guest, in its own words. */
    private static final int MAX_DEPTH = 64;

    private final TokenStream words;

    LiteralGrammar(TokenStream words) {
        this.words = words;
    }

    JsValue value(int depth) throws NotSimple {
        Token first = words.take();
        switch (first.kind()) {
            case STRING, TEMPLATE -> {
                return new JsValue.Text(first.text());
            }
            case NUMBER -> {
                return new JsValue.Numeral(first.number());
            }
            case NAME -> {
                return named(first.text());
            }
            case SIGN -> {
                return structure(first.text(), depth);
            }
            default -> throw new NotSimple();
        }
    }

    private static JsValue named(String name) throws NotSimple {
        return switch (name) {
            case "null" -> JsValue.NULL;
            case "true" -> new JsValue.Flag(true);
            case "false" -> new JsValue.Flag(false);
            default -> throw new NotSimple();
        };
    }

    private JsValue structure(String sign, int depth) throws NotSimple {
        words.require(depth < MAX_DEPTH);
        return switch (sign) {
            case "-" -> new JsValue.Numeral(-words.takeKind(Kind.NUMBER).number());
            case "[" -> list(depth);
            case "{" -> members(depth);
            default -> throw new NotSimple();
        };
    }

    private JsValue list(int depth) throws NotSimple {
        List<JsValue> items = new ArrayList<>();
        while (!words.peek().is("]")) {
            items.add(value(depth + 1));
            if (!words.peek().is("]")) {
                words.takeSign(",");
            }
        }
        words.takeSign("]");
        return new JsValue.Items(items);
    }

    private JsValue members(int depth) throws NotSimple {
        Map<String, JsValue> members = new LinkedHashMap<>();
        while (!words.peek().is("}")) {
            Token name = words.take();
            String key = switch (name.kind()) {
                case NAME, STRING -> name.text();
                case NUMBER -> JsNumber.text(name.number());
                default -> throw new NotSimple();
            };
            words.require(!key.equals("__proto__"));
            words.takeSign(":");
            members.put(key, value(depth + 1));
            if (!words.peek().is("}")) {
                words.takeSign(",");
            }
        }
        words.takeSign("}");
        return new JsValue.Members(members);
    }
}
